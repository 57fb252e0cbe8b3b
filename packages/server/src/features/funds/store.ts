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

export function fundsStore(db: Database) {
  return {
    async balance(organization_id: string, on: Queryable = db): Promise<number | null> {
      const row = await on.maybe<{ balance_micros: number }>(
        sql`select balance_micros from organizations where id = ${organization_id}`,
      );
      return row?.balance_micros ?? null;
    },

    /** Credits and charges of one organization wait for each other here. */
    async lockBalance(tx: Transaction, organization_id: string): Promise<number | null> {
      const row = await tx.maybe<{ balance_micros: number }>(
        sql`select balance_micros from organizations where id = ${organization_id} for no key update`,
      );
      return row?.balance_micros ?? null;
    },

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
