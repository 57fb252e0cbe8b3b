// The SQL of what is used of budgets, and of what is reserved for calls in progress.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { BudgetRow, BudgetUse, UseRef } from './budget.ts';
import { type AskedUse, is_quiet } from './count-store.ts';

export type BudgetReservation = UseRef & { count: number; minutes: number; price_micros: number };

const useColumns = (uses: readonly UseRef[]) =>
  sql`unnest(${uses.map((use) => use.organization_id)}::uuid[], ${uses.map((use) => use.budget_id)}::uuid[],
    ${uses.map((use) => use.window_start)}::timestamptz[]) as u (organization_id, budget_id, window_start)`;

/**
 * Adds in one statement, when everything fits and no threshold is passed. False, and nothing is added, when a row is missing,
 * a limit would be exceeded or somebody must be told. The rows are locked in the order of their keys, as in `lockUses`.
 * With `is_durable: false` it does not wait for the disk.
 */
async function addIfQuiet(
  db: Database,
  uses: readonly AskedUse[],
  { is_durable }: { is_durable: boolean },
): Promise<boolean> {
  const wait = is_durable ? sql.empty : sql`, set_config('synchronous_commit', 'off', true)`;
  const row = await db.maybe<{ added: number }>(sql`
    with asked as (
      select * from unnest(${uses.map((use) => use.organization_id)}::uuid[], ${uses.map((use) => use.budget_id)}::uuid[],
               ${uses.map((use) => use.window_start)}::timestamptz[], ${uses.map((use) => use.count)}::bigint[],
               ${uses.map((use) => use.micros)}::bigint[], ${uses.map((use) => use.needed_micros)}::bigint[])
               as u (organization_id, budget_id, window_start, count, micros, needed_micros)
    ), locked as (
      select s.organization_id, s.budget_id, s.window_start, a.count, a.micros, ${is_quiet} as is_quiet
        from asked a join budget_uses s using (organization_id, budget_id, window_start) join budgets b on b.id = s.budget_id
       order by s.organization_id, s.budget_id, s.window_start for update of s
    ), quiet as (
      select count(*) = ${uses.length} and bool_and(is_quiet) as is_quiet from locked
    ), added as (
      update budget_uses s set used_count = s.used_count + l.count, used_micros = s.used_micros + l.micros
        from locked l, quiet
       where quiet.is_quiet and s.organization_id = l.organization_id and s.budget_id = l.budget_id
         and s.window_start = l.window_start
      returning 1
    )
    select count(*)::int as added ${wait} from added`);
  return row!.added === uses.length;
}

export function budgetUseStore(db: Database) {
  return {
    /** Zero for windows without a row, in the order of `uses`. */
    async uses(uses: readonly UseRef[]): Promise<BudgetUse[]> {
      return db.rows<BudgetUse>(sql`
        select coalesce(b.used_count, 0)::float8 as used_count, coalesce(b.used_micros, 0)::float8 as used_micros
          from ${useColumns(uses)}
          left join budget_uses b using (organization_id, budget_id, window_start)`);
    },

    /**
     * Creates missing rows and locks all of them until the transaction ends, in the order of their keys, so that two
     * transactions cannot deadlock. Budgets that were deleted are left out.
     */
    async lockUses(tx: Transaction, uses: readonly UseRef[]): Promise<(BudgetRow & BudgetUse & UseRef)[]> {
      await tx.run(sql`
        insert into budget_uses (organization_id, budget_id, window_start)
        select u.organization_id, u.budget_id, u.window_start
          from ${useColumns(uses)} join budgets b on b.id = u.budget_id
         order by 1, 2, 3
        on conflict do nothing`);
      return tx.rows(sql`
        select b.id, b.organization_id, b.subject_kind, b.subject_id, b.channel, b.budget_window as "window",
               b.max_count::float8 as max_count, b.max_amount_micros::float8 as max_amount_micros,
               s.budget_id, iso(s.window_start) as window_start, s.used_count::float8 as used_count, s.used_micros::float8 as used_micros
          from ${useColumns(uses)}
          join budget_uses s using (organization_id, budget_id, window_start)
          join budgets b on b.id = s.budget_id
         order by s.organization_id, s.budget_id, s.window_start
           for update of s`);
    },

    /** Adds, or subtracts but not below zero: the rows are locked or the order does not matter. */
    async add(on: Queryable, uses: readonly (UseRef & { count: number; micros: number })[]): Promise<void> {
      await on.run(sql`
        update budget_uses s set used_count = greatest(0, s.used_count + u.count),
               used_micros = greatest(0, s.used_micros + u.micros)
          from unnest(${uses.map((use) => use.organization_id)}::uuid[], ${uses.map((use) => use.budget_id)}::uuid[],
                 ${uses.map((use) => use.window_start)}::timestamptz[], ${uses.map((use) => use.count)}::bigint[],
                 ${uses.map((use) => use.micros)}::bigint[]) as u (organization_id, budget_id, window_start, count, micros)
         where s.organization_id = u.organization_id and s.budget_id = u.budget_id and s.window_start = u.window_start`);
    },

    addIfQuiet: (uses: readonly AskedUse[], how: { is_durable: boolean }) => addIfQuiet(db, uses, how),

    async insertReservations(
      tx: Transaction,
      reference: string,
      reservations: readonly BudgetReservation[],
      now: Date,
    ): Promise<void> {
      for (const { organization_id, budget_id, window_start, count, minutes, price_micros } of reservations) {
        await tx.run(sql`
          insert into budget_reservations
                 (organization_id, reference, budget_id, window_start, count, minutes, price_micros, created_at)
          values (${organization_id}, ${reference}, ${budget_id}, ${window_start}, ${count}, ${minutes}, ${price_micros}, ${now})`);
      }
    },

    takeReservations: (tx: Transaction, organization_id: string, reference: string) =>
      tx.rows<BudgetReservation>(sql`
        delete from budget_reservations where organization_id = ${organization_id} and reference = ${reference}
        returning organization_id, budget_id, iso(window_start) as window_start, count, minutes, price_micros::float8 as price_micros`),

    /** What was reserved before this time, in the order of references. */
    reservationsBefore: (time: Date, after: string, limit: number) =>
      db.rows<{ organization_id: string; reference: string }>(sql`
        select distinct reference, organization_id from budget_reservations
         where created_at < ${time} and reference > ${after} order by reference limit ${limit}`),

    async deleteUsesBefore(time: Date): Promise<void> {
      await db.run(sql`delete from budget_uses where window_start < ${time}`);
    },
  };
}
export type BudgetUseStore = ReturnType<typeof budgetUseStore>;
