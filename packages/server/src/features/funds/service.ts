// The rules of funds: every movement is one ledger entry, and one thing is charged once.
import type {
  Balance,
  ChargedItem,
  CreditCreate,
  LedgerEntry,
  Prices,
  PricesPatch,
} from '@parley/contract/funds';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import { fundsStore } from './store.ts';

export type Charge = {
  item: ChargedItem;
  quantity: number;
  /** What it is for; repeating the charge for the same thing changes nothing. */
  reference: string;
  /** For what was already used, such as the minutes of a call that ended: the balance may go below zero. */
  already_used?: boolean;
};

export function fundsService(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  /** Off: nothing costs anything. */
  charging: boolean;
}) {
  const { db, clock, ids, audit, charging } = deps;
  const store = fundsStore(db);

  const balanceOf = async (organization_id: string): Promise<Balance> => {
    const balance_micros = await store.balance(organization_id);
    if (balance_micros === null) throw new ApiError('not_found');
    return { organization_id, balance_micros, charging };
  };

  return {
    /** Whether anything costs anything here. */
    charging,
    /** Part of the change that uses what is charged for. */
    async charge(
      tx: Transaction,
      organization_id: string,
      charge: Charge,
    ): Promise<'free' | 'charged' | 'insufficient_funds'> {
      if (!charging) return 'free';
      const amount = (await store.price(charge.item, tx)) * charge.quantity;
      if (amount === 0) return 'free';
      const balance = await store.lockBalance(tx, organization_id);
      // Only organizations that were made as such are charged.
      if (balance === null) return 'free';
      if (await store.entryOf(tx, organization_id, charge.item, charge.reference)) return 'charged';
      if (balance < amount && !charge.already_used) return 'insufficient_funds';
      await store.insert(tx, organization_id, {
        id: ids.next(),
        organization_id,
        kind: 'charge',
        amount_micros: -amount,
        balance_micros: balance - amount,
        item: charge.item,
        quantity: charge.quantity,
        reference: charge.reference,
        note: null,
        created_at: clock.now().toISOString(),
      });
      return 'charged';
    },

    /** Whether the balance covers something that is charged only when it is over, such as a call. */
    async covers(organization_id: string, item: ChargedItem, quantity: number): Promise<boolean> {
      if (!charging) return true;
      const balance = await store.balance(organization_id);
      return balance === null || balance >= (await store.price(item)) * quantity;
    },

    /** The nil organization of the shared key has a balance too; one that nobody made has none. */
    async ownBalance(organization_id: string): Promise<Balance> {
      const balance_micros = (await store.balance(organization_id)) ?? 0;
      return { organization_id, balance_micros, charging };
    },
    balance: balanceOf,
    ledger: (organization_id: string, query: PageRequest) => store.ledger(organization_id, query),
    async organizationLedger(organization_id: string, query: PageRequest) {
      await balanceOf(organization_id);
      return store.ledger(organization_id, query);
    },

    async credit(context: Context, organization_id: string, given: CreditCreate): Promise<LedgerEntry> {
      return db.transaction(async (tx) => {
        const balance = await store.lockBalance(tx, organization_id);
        if (balance === null) throw new ApiError('not_found');
        const reference = given.reference ?? null;
        const known = reference === null ? null : await store.entryOf(tx, organization_id, null, reference);
        if (known) return known;
        const entry: LedgerEntry = {
          id: ids.next(),
          organization_id,
          kind: 'credit',
          amount_micros: given.amount_micros,
          balance_micros: balance + given.amount_micros,
          item: null,
          quantity: null,
          reference,
          note: given.note ?? null,
          created_at: clock.now().toISOString(),
        };
        await store.insert(tx, organization_id, entry);
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'funds.credited',
          object_id: entry.id,
          detail: { amount_micros: entry.amount_micros, reference },
        });
        return entry;
      });
    },

    prices: (): Promise<Prices> => store.prices(),
    async setPrices(context: Context, patch: PricesPatch): Promise<Prices> {
      return db.transaction(async (tx) => {
        await store.setPrices(tx, patch);
        await audit.write(tx, actorOf(context), {
          organization_id: null,
          action: 'prices.changed',
          object_id: null,
          detail: patch,
        });
        return store.prices(tx);
      });
    },
  };
}
export type Funds = ReturnType<typeof fundsService>;
