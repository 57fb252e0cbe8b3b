// The SQL of balances, the ledger and prices. The balance of an organization is the sum of its ledger; both change in one
// transaction.
import {
  type ChargedItem,
  chargedItems,
  type LedgerEntry,
  type LedgerItem,
  ledgerItems,
  type Prices,
  type PricesPatch,
} from '@parley/contract/rules/spending/funds';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type Account, findAccount, lockAccount, setBalance } from '../../access/organizations/index.ts';

const columns = sql`id, organization_id, kind, amount_micros, balance_micros, item, quantity, reference, note,
  iso(created_at) as created_at`;

const ledger_cursors = cursors('ledger');

export const availableMicros = ({ balance_micros, reserved_micros }: Account): number =>
  balance_micros - reserved_micros;

export function fundsStore(db: Database) {
  return {
    findAccount: (organization_id: string) => findAccount(db, organization_id),

    /** Credits, charges and reservations of one organization wait for each other here. */
    lockAccount,

    findEntry: (tx: Transaction, organization_id: string, item: LedgerItem | null, reference: string) =>
      tx.maybe<LedgerEntry>(sql`
        select ${columns} from ledger_entries
         where organization_id = ${organization_id} and item is not distinct from ${item}
           and reference = ${reference}`),

    /** By the unique index, which starts with the item. */
    entriesOf: (organization_id: string, reference: string) =>
      db.rows<LedgerEntry>(sql`
        select ${columns} from ledger_entries
         where organization_id = ${organization_id} and item = any(${ledgerItems}) and reference = ${reference}
         order by id`),

    async insertEntry(tx: Transaction, organization_id: string, entry: LedgerEntry): Promise<void> {
      await tx.run(sql`
        insert into ledger_entries select * from json_populate_record(null::ledger_entries, ${JSON.stringify(entry)})`);
      await setBalance(tx, organization_id, entry.balance_micros);
    },

    listEntries: (organization_id: string, query: PageRequest) =>
      readPage<LedgerEntry>(db, ledger_cursors, query, {
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
      const by_item = new Map(rows.map((row) => [row.item, row.price_micros]));
      return Object.fromEntries(chargedItems.map((item) => [item, by_item.get(item)!])) as Prices;
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
