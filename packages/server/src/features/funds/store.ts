// The SQL of funds. The balance of an organization is the sum of its ledger; both change in one transaction.
import {
  type ChargedItem,
  chargedItems,
  type LedgerEntry,
  type Prices,
  type PricesPatch,
} from '@parley/contract/funds';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, organization_id, kind, amount_micros, balance_micros, item, quantity, reference, note,
  iso(created_at) as created_at`;

const list = cursors('ledger');

/** What an organization has, and how much of it calls in progress hold. */
export type Account = { balance_micros: number; reserved_micros: number };

/** At the price of its start. */
export type Reservation = { quantity: number; price_micros: number };

export function fundsStore(db: Database) {
  return {
    account: (organization_id: string, on: Queryable = db) =>
      on.maybe<Account>(
        sql`select balance_micros, reserved_micros from organizations where id = ${organization_id}`,
      ),

    /** Credits, charges and reservations of one organization wait for each other here. */
    lock: (tx: Transaction, organization_id: string) =>
      tx.maybe<Account>(sql`
        select balance_micros, reserved_micros from organizations where id = ${organization_id} for no key update`),

    reservation: (on: Queryable, organization_id: string, item: ChargedItem, reference: string) =>
      on.maybe<Reservation>(sql`
        select quantity, price_micros from fund_reservations
         where organization_id = ${organization_id} and item = ${item} and reference = ${reference}`),

    insertReservation: (
      tx: Transaction,
      organization_id: string,
      row: Reservation & { item: ChargedItem; reference: string; created_at: Date },
    ) =>
      tx.run(sql`
        insert into fund_reservations (organization_id, item, reference, quantity, price_micros, created_at)
        values (${organization_id}, ${row.item}, ${row.reference}, ${row.quantity}, ${row.price_micros}, ${row.created_at})`),

    raiseReservation: (
      tx: Transaction,
      organization_id: string,
      to: { item: ChargedItem; reference: string; quantity: number },
    ) =>
      tx.run(sql`
        update fund_reservations set quantity = ${to.quantity}
         where organization_id = ${organization_id} and item = ${to.item} and reference = ${to.reference}`),

    takeReservation: (tx: Transaction, organization_id: string, item: ChargedItem, reference: string) =>
      tx.maybe<Reservation>(sql`
        delete from fund_reservations
         where organization_id = ${organization_id} and item = ${item} and reference = ${reference}
        returning quantity, price_micros`),

    async addReserved(tx: Transaction, organization_id: string, amount_micros: number): Promise<void> {
      if (amount_micros === 0) return;
      await tx.run(sql`
        update organizations set reserved_micros = reserved_micros + ${amount_micros} where id = ${organization_id}`);
    },

    /** Over all organizations, by reference. */
    reservations: (item: ChargedItem, after: string, limit: number) =>
      db.rows<{ organization_id: string; reference: string }>(sql`
        select organization_id, reference from fund_reservations
         where item = ${item} and reference > ${after} order by reference limit ${limit}`),

    entryOf: (tx: Transaction, organization_id: string, item: ChargedItem | null, reference: string) =>
      tx.maybe<LedgerEntry>(sql`
        select ${columns} from ledger_entries
         where organization_id = ${organization_id} and item is not distinct from ${item}
           and reference = ${reference}`),

    async insert(tx: Transaction, organization_id: string, entry: LedgerEntry): Promise<void> {
      await tx.run(sql`
        insert into ledger_entries select * from json_populate_record(null::ledger_entries, ${JSON.stringify(entry)})`);
      await tx.run(sql`
        update organizations set balance_micros = ${entry.balance_micros} where id = ${organization_id}`);
    },

    ledger: (organization_id: string, query: PageRequest) =>
      readPage(db, list, query, {
        columns,
        from: sql`ledger_entries`,
        where: sql`organization_id = ${organization_id}`,
      }),

    async price(item: ChargedItem, on: Queryable = db): Promise<number> {
      const row = await on.maybe<{ price_micros: number }>(
        sql`select price_micros from prices where item = ${item}`,
      );
      return row!.price_micros;
    },

    async prices(on: Queryable = db): Promise<Prices> {
      const rows = await on.rows<{ item: ChargedItem; price_micros: number }>(
        sql`select item, price_micros from prices`,
      );
      const known = new Map(rows.map((row) => [row.item, row.price_micros]));
      return Object.fromEntries(chargedItems.map((item) => [item, known.get(item)!])) as Prices;
    },

    async setPrices(tx: Transaction, patch: PricesPatch): Promise<void> {
      for (const item of chargedItems) {
        const price = patch[item];
        if (price !== undefined)
          await tx.run(sql`update prices set price_micros = ${price} where item = ${item}`);
      }
    },
  };
}
export type FundsStore = ReturnType<typeof fundsStore>;
