// The SQL of reservations: money that is set aside for a use that has not ended.
import type { ChargedItem } from '@parley/contract/rules/spending/funds';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { addReserved } from '../../access/organizations/index.ts';

/** The price is that of the time when the use started. */
export type Reservation = { quantity: number; price_micros: number };

type Key = { item: ChargedItem; reference: string };

const byKey = (organization_id: string, { item, reference }: Key) =>
  sql`organization_id = ${organization_id} and item = ${item} and reference = ${reference}`;

export const reservationStore = (db: Database) => ({
  find: (on: Queryable, organization_id: string, key: Key) =>
    on.maybe<Reservation>(
      sql`select quantity, price_micros from fund_reservations where ${byKey(organization_id, key)}`,
    ),

  insert: (tx: Transaction, organization_id: string, row: Reservation & Key & { created_at: Date }) =>
    tx.run(sql`
      insert into fund_reservations (organization_id, item, reference, quantity, price_micros, created_at)
      values (${organization_id}, ${row.item}, ${row.reference}, ${row.quantity}, ${row.price_micros}, ${row.created_at})`),

  setQuantity: (tx: Transaction, organization_id: string, to: Key & { quantity: number }) =>
    tx.run(sql`update fund_reservations set quantity = ${to.quantity} where ${byKey(organization_id, to)}`),

  delete: (tx: Transaction, organization_id: string, key: Key) =>
    tx.maybe<Reservation>(sql`
      delete from fund_reservations where ${byKey(organization_id, key)} returning quantity, price_micros`),

  /** Changes the sum of all reservations of the organization. */
  async addToSum(tx: Transaction, organization_id: string, amount_micros: number): Promise<void> {
    if (amount_micros === 0) return;
    await addReserved(tx, organization_id, amount_micros);
  },

  /** Over all organizations, ordered by reference. */
  list: (item: ChargedItem, after: string, limit: number) =>
    db.rows<{ organization_id: string; reference: string }>(sql`
      select organization_id, reference from fund_reservations
       where item = ${item} and reference > ${after} order by reference limit ${limit}`),
});
export type ReservationStore = ReturnType<typeof reservationStore>;
