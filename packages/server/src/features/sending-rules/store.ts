// The SQL of sending rules.
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { RuleName, RuleTypes, SendingRules } from './rules.ts';

const columns = sql`version::int as version, quiet_hours, contact_rules, approval_policy, trusted_recipients, has_budgets,
  has_call_stops`;

export const sendingRulesStore = (db: Database) => ({
  find: (organization_id: string, on: Queryable = db) =>
    on.maybe<SendingRules>(
      sql`select ${columns} from sending_rules where organization_id = ${organization_id}`,
    ),

  /** Creates the row if it is missing, and locks it until the transaction ends. Returns the new version. */
  async change(tx: Transaction, organization_id: string, now: Date): Promise<number> {
    const row = await tx.maybe<{ version: number }>(sql`
      insert into sending_rules (organization_id, version, updated_at) values (${organization_id}, 1, ${now})
      on conflict (organization_id) do update set version = sending_rules.version + 1, updated_at = excluded.updated_at
      returning version::int as version`);
    return row!.version;
  },

  async set<Name extends RuleName>(
    tx: Transaction,
    organization_id: string,
    name: Name,
    value: RuleTypes[Name] | null,
  ): Promise<void> {
    const text = value === null ? null : JSON.stringify(value);
    await tx.run(
      sql`update sending_rules set ${sql.raw(name)} = ${text}::json where organization_id = ${organization_id}`,
    );
  },

  async setHasBudgets(tx: Transaction, organization_id: string, has_budgets: boolean): Promise<void> {
    await tx.run(
      sql`update sending_rules set has_budgets = ${has_budgets} where organization_id = ${organization_id}`,
    );
  },
});
