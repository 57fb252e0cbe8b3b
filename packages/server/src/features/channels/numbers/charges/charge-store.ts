// The SQL of the monthly charge: until when each number is paid.
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export const chargeStore = (db: Database) => ({
  /** Active numbers, of all organizations, whose paid time is over. */
  unpaid: (now: Date, limit: number) =>
    db.rows<{ organization_id: string; id: string; from: string | null }>(sql`
      select organization_id, id, iso(charged_until) as "from" from numbers
       where provisioning_state = 'active' and coalesce(charged_until, '-infinity') <= ${now}
       order by charged_until nulls first limit ${limit}`),

  /** Marks the month that begins at `from` as paid; null when it was paid before. */
  paidAfter: (tx: Transaction, organization_id: string, id: string, from: Date) =>
    tx.maybe(sql`
      update numbers set charged_until = ${from}::timestamptz + interval '1 month'
       where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'active'
         and coalesce(charged_until, ${from}) = ${from}
      returning id`),
});
export type ChargeStore = ReturnType<typeof chargeStore>;
