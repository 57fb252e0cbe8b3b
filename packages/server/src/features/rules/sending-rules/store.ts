// The SQL of sending rules.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { NewRules, RuleTypes, SendingRules } from './rules.ts';

const columns = sql`version::int as version, quiet_hours, contact_rules, approval_policy, trusted_recipients, agent_approval,
  has_budgets, has_call_stops`;

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

  async setAll(tx: Transaction, organization_id: string, values: NewRules): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      const text = value === null ? null : JSON.stringify(value);
      await tx.run(
        sql`update sending_rules set ${sql.raw(name)} = ${text}::json where organization_id = ${organization_id}`,
      );
    }
  },

  /** Budgets are no rule of their own, so the version stays. */
  async noteBudgets(tx: Transaction, organization_id: string, now: Date): Promise<void> {
    await tx.run(sql`
      insert into sending_rules (organization_id, version, has_budgets, updated_at)
      values (${organization_id}, 0, true, ${now})
      on conflict (organization_id) do update set has_budgets = true`);
  },

  /** For a new organization, or one whose rules were never set. */
  async seedContactRules(
    tx: Transaction,
    organization_id: string,
    rules: RuleTypes['contact_rules'],
    now: Date,
  ): Promise<void> {
    await tx.run(sql`
      insert into sending_rules (organization_id, version, contact_rules, updated_at)
      values (${organization_id}, 1, ${JSON.stringify(rules)}::json, ${now})
      on conflict (organization_id) do update
         set contact_rules = excluded.contact_rules, version = sending_rules.version + 1, updated_at = excluded.updated_at
       where sending_rules.contact_rules is null`);
  },

  async setHasBudgets(tx: Transaction, organization_id: string, has_budgets: boolean): Promise<void> {
    await tx.run(
      sql`update sending_rules set has_budgets = ${has_budgets} where organization_id = ${organization_id}`,
    );
  },
});
