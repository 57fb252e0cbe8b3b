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
import { fundReservations } from './reservations.ts';
import { type Account, fundsStore } from './store.ts';

export type Charge = {
  item: ChargedItem;
  quantity: number;
  /** What it is for; repeating the charge for the same thing changes nothing. */
  reference: string;
  /** For what was already used, such as the minutes of a call that ended: the balance may go below zero. */
  already_used?: boolean;
  /** The price when the use began; that of now where it is left out. */
  price_micros?: number;
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

  const asBalance = (organization_id: string, { balance_micros, reserved_micros }: Account): Balance => {
    const available_micros = balance_micros - reserved_micros;
    return { organization_id, balance_micros, reserved_micros, available_micros, charging };
  };
  const balanceOf = async (organization_id: string): Promise<Balance> => {
    const account = await store.account(organization_id);
    if (!account) throw new ApiError('not_found');
    return asBalance(organization_id, account);
  };

  /** Part of the change that uses what is charged for. */
  const charge = async (
    tx: Transaction,
    organization_id: string,
    charge: Charge,
  ): Promise<'free' | 'charged' | 'insufficient_funds'> => {
    if (!charging) return 'free';
    const amount = (charge.price_micros ?? (await store.price(charge.item, tx))) * charge.quantity;
    if (amount === 0) return 'free';
    const account = await store.lock(tx, organization_id);
    // Only organizations that were made as such are charged.
    if (!account) return 'free';
    if (await store.entryOf(tx, organization_id, charge.item, charge.reference)) return 'charged';
    const { balance_micros, reserved_micros } = account;
    if (balance_micros - reserved_micros < amount && !charge.already_used) return 'insufficient_funds';
    await store.insert(tx, organization_id, {
      id: ids.next(),
      organization_id,
      kind: 'charge',
      amount_micros: -amount,
      balance_micros: balance_micros - amount,
      item: charge.item,
      quantity: charge.quantity,
      reference: charge.reference,
      note: null,
      created_at: clock.now().toISOString(),
    });
    return 'charged';
  };

  return {
    /** Whether anything costs anything here. */
    charging,
    charge,
    ...fundReservations({
      db,
      clock,
      store,
      charging,
      async chargeUsed(tx, organization_id, use) {
        await charge(tx, organization_id, { ...use, already_used: true });
      },
    }),

    /** Whether what is available covers it; what was reserved for the same reference counts as available. */
    async covers(
      organization_id: string,
      item: ChargedItem,
      quantity: number,
      reference?: string,
    ): Promise<boolean> {
      if (!charging) return true;
      const held = reference && (await store.reservation(db, organization_id, item, reference));
      if (held && held.quantity >= quantity) return true;
      const account = await store.account(organization_id);
      if (!account) return true;
      const { balance_micros, reserved_micros } = account;
      return balance_micros - reserved_micros >= (await store.price(item)) * quantity;
    },

    /** The nil organization of the shared key has a balance too; one that nobody made has none. */
    async ownBalance(organization_id: string): Promise<Balance> {
      const account = await store.account(organization_id);
      return asBalance(organization_id, account ?? { balance_micros: 0, reserved_micros: 0 });
    },
    balance: balanceOf,
    ledger: (organization_id: string, query: PageRequest) => store.ledger(organization_id, query),
    async organizationLedger(organization_id: string, query: PageRequest) {
      await balanceOf(organization_id);
      return store.ledger(organization_id, query);
    },

    async credit(context: Context, organization_id: string, given: CreditCreate): Promise<LedgerEntry> {
      return db.transaction(async (tx) => {
        const account = await store.lock(tx, organization_id);
        if (!account) throw new ApiError('not_found');
        const reference = given.reference ?? null;
        const known = reference === null ? null : await store.entryOf(tx, organization_id, null, reference);
        if (known) return known;
        const entry: LedgerEntry = {
          id: ids.next(),
          organization_id,
          kind: 'credit',
          amount_micros: given.amount_micros,
          balance_micros: account.balance_micros + given.amount_micros,
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
