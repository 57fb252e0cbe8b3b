// The SQL of budgets.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { BudgetRow } from './budget.ts';

const columns = sql`id, organization_id, subject_kind, subject_id, channel, budget_window as "window",
  max_count::float8 as max_count, max_amount_micros::float8 as max_amount_micros, iso(created_at) as created_at,
  iso(updated_at) as updated_at`;

export function budgetStore(db: Database) {
  return {
    list: (organization_id: string, on: Queryable = db) =>
      on.rows<BudgetRow>(
        sql`select ${columns} from budgets where organization_id = ${organization_id} order by id`,
      ),

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<BudgetRow>(
        sql`select ${columns} from budgets where organization_id = ${organization_id} and id = ${id}`,
      ),

    async insert(tx: Transaction, budget: BudgetRow): Promise<void> {
      await tx.run(sql`
        insert into budgets (id, organization_id, subject_kind, subject_id, channel, budget_window, max_count,
                             max_amount_micros, created_at, updated_at)
        values (${budget.id}, ${budget.organization_id}, ${budget.subject_kind}, ${budget.subject_id}, ${budget.channel},
                ${budget.window}, ${budget.max_count}, ${budget.max_amount_micros}, ${budget.created_at}, ${budget.updated_at})`);
    },

    async update(tx: Transaction, budget: BudgetRow): Promise<void> {
      await tx.run(sql`
        update budgets set max_count = ${budget.max_count}, max_amount_micros = ${budget.max_amount_micros},
               updated_at = ${budget.updated_at}
         where organization_id = ${budget.organization_id} and id = ${budget.id}`);
    },

    async delete(tx: Transaction, organization_id: string, id: string): Promise<void> {
      await tx.run(sql`delete from budgets where organization_id = ${organization_id} and id = ${id}`);
    },

    /** False when the credential has its default budgets already. */
    async markDefaults(
      tx: Transaction,
      organization_id: string,
      { kind, id, now }: { kind: string; id: string; now: Date },
    ): Promise<boolean> {
      const row = await tx.maybe(sql`
        insert into default_budgets (organization_id, subject_kind, subject_id, created_at)
        values (${organization_id}, ${kind}, ${id}, ${now}) on conflict do nothing returning subject_id`);
      return row !== null;
    },

    async hasDefaults(organization_id: string, kind: string, id: string): Promise<boolean> {
      const row = await db.maybe(sql`
        select from default_budgets
         where organization_id = ${organization_id} and subject_kind = ${kind} and subject_id = ${id}`);
      return row !== null;
    },

    /** Keys and grants that were revoked, and keys that expired, need no budgets any more, unless an agent of theirs still sends. */
    async deleteOrphans(now: Date): Promise<void> {
      const created_agent = (alias: 'b' | 'd') => sql`exists (
        select from agents a, json_array_elements_text(a.created_by -> 'lineage') as creator
         where a.organization_id = ${sql.raw(alias)}.organization_id
           and creator in ('key:' || ${sql.raw(alias)}.subject_id, 'grant:' || ${sql.raw(alias)}.subject_id))`;
      const is_orphan = (alias: 'b' | 'd') => sql`
        (${sql.raw(alias)}.subject_kind = 'api_key' and not exists (
           select from api_keys k where k.organization_id = ${sql.raw(alias)}.organization_id
              and k.id = ${sql.raw(alias)}.subject_id and (k.expires_at is null or k.expires_at > ${now}))
         or ${sql.raw(alias)}.subject_kind = 'oauth_grant' and not exists (
           select from accounts."oauthConsent" g where g.id = ${sql.raw(alias)}.subject_id))
        and not ${created_agent(alias)}`;
      await db.run(sql`delete from budgets b where ${is_orphan('b')}`);
      await db.run(sql`delete from default_budgets d where ${is_orphan('d')}`);
    },

    async hasSubject(organization_id: string, kind: BudgetRow['subject_kind'], id: string): Promise<boolean> {
      const query = {
        organization: null,
        api_key: sql`select 1 from api_keys where organization_id = ${organization_id} and id = ${id}`,
        agent: sql`select 1 from agents where organization_id = ${organization_id} and id = ${id}`,
        oauth_grant: sql`
          select 1 from accounts."oauthConsent" where "referenceId" = ${organization_id}::text and id::text = ${id}`,
      }[kind];
      return query === null || (await db.maybe(query)) !== null;
    },
  };
}
export type BudgetStore = ReturnType<typeof budgetStore>;
