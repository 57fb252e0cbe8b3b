// The rules of funds: every change of a balance is one ledger entry, and each record is charged once.
import type {
  Balance,
  ChargedItem,
  CreditCreate,
  LedgerEntry,
  Prices,
  PricesPatch,
} from '@parley/contract/rules/spending/funds';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { ttlCache } from '../../../platform/ttl-cache.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import type { Account } from '../../access/organizations/index.ts';
import { requireRight } from '../../access/rule-inputs/index.ts';
import { type ReservationStore, reservationStore } from './reservation-store.ts';
import { fundReservations } from './reservations.ts';
import { availableMicros, type FundsStore, fundsStore } from './store.ts';

export type Charge = {
  quantity: number;
  /** The record that is charged; repeating the charge for the same record changes nothing. */
  reference: string;
  /** For a use that has ended, such as the minutes of a call: the balance may become negative. */
  already_used?: boolean;
} & (
  | {
      item: ChargedItem;
      /** The price when the use started; the current price when it is left out. */
      price_micros?: number;
    }
  | { item: 'registration'; price_micros: number }
);

const prices_age_ms = 1000;

type FundsDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  /** Off: everything is free. */
  charging: boolean;
};
type Deps = FundsDeps & { store: FundsStore; reservation_store: ReservationStore };

export function fundsService(funds_deps: FundsDeps) {
  const { db } = funds_deps;
  const deps: Deps = { ...funds_deps, store: fundsStore(db), reservation_store: reservationStore(db) };
  const { store, charging } = deps;
  const recent = ttlCache({ load: () => store.prices(), max_age_ms: prices_age_ms });
  return {
    charging,
    charge: (tx: Transaction, organization_id: string, input: Charge) =>
      charge(deps, tx, organization_id, input),
    ...fundReservations({
      ...deps,
      async chargeUsed(tx, organization_id, use) {
        await charge(deps, tx, organization_id, { ...use, already_used: true });
      },
    }),
    /** For explain: what was charged for a record. */
    entriesOf: store.entriesOf,
    covers: (organization_id: string, item: ChargedItem, quantity: number, reference?: string) =>
      covers(deps, organization_id, item, quantity, reference),

    /** The shared key can act for an organization id without a row. Such an organization has a balance of zero. */
    async ownBalance(organization_id: string): Promise<Balance> {
      const account = await store.findAccount(organization_id);
      return toBalance(deps, organization_id, account ?? { balance_micros: 0, reserved_micros: 0 });
    },
    balance: (organization_id: string) => balanceOf(deps, organization_id),
    ledger: (organization_id: string, query: PageRequest) => store.listEntries(organization_id, query),
    async organizationLedger(organization_id: string, query: PageRequest) {
      await balanceOf(deps, organization_id);
      return store.listEntries(organization_id, query);
    },
    async credit(context: Context, organization_id: string, input: CreditCreate): Promise<LedgerEntry> {
      requireRight(context.caller, 'organizations.balance_micros', {
        is_stricter: input.amount_micros < 0,
        detail: 'Only the operator adds funds.',
      });
      return credit(deps, context, organization_id, input);
    },
    prices: (): Promise<Prices> => store.prices(),
    /** At most a second old: for what is asked with every message. */
    recentPrices: recent.get,
    async setPrices(context: Context, patch: PricesPatch): Promise<Prices> {
      requireRight(context.caller, 'prices.price_micros', { detail: 'Only the operator changes prices.' });
      const prices = await setPrices(deps, context, patch);
      recent.forget();
      return prices;
    },
  };
}
export type Funds = ReturnType<typeof fundsService>;

function toBalance({ charging }: Deps, organization_id: string, account: Account): Balance {
  return { organization_id, ...account, available_micros: availableMicros(account), charging };
}

async function balanceOf(deps: Deps, organization_id: string): Promise<Balance> {
  const account = await deps.store.findAccount(organization_id);
  if (!account) throw new ApiError('not_found');
  return toBalance(deps, organization_id, account);
}

/** Part of the transaction that stores the charged record. */
async function charge(
  { store, ids, clock, charging }: Deps,
  tx: Transaction,
  organization_id: string,
  input: Charge,
): Promise<'free' | 'charged' | 'insufficient_funds'> {
  if (!charging) return 'free';
  const { item, quantity, reference, already_used } = input;
  const price =
    input.item === 'registration'
      ? input.price_micros
      : (input.price_micros ?? (await store.price(input.item, tx)));
  const amount = price * quantity;
  if (amount === 0) return 'free';
  const account = await store.lockAccount(tx, organization_id);
  // The shared key can act for an organization id without a row. Such an organization is not charged.
  if (!account) return 'free';
  if (await store.findEntry(tx, organization_id, item, reference)) return 'charged';
  if (availableMicros(account) < amount && !already_used) return 'insufficient_funds';
  await store.insertEntry(tx, organization_id, {
    id: ids.next(),
    organization_id,
    kind: 'charge',
    amount_micros: -amount,
    balance_micros: account.balance_micros - amount,
    item,
    quantity,
    reference,
    note: null,
    created_at: clock.now().toISOString(),
  });
  return 'charged';
}

/** Whether the available balance covers it. What is reserved for the same reference counts as available. */
async function covers(
  { db, store, reservation_store, charging }: Deps,
  organization_id: string,
  item: ChargedItem,
  quantity: number,
  reference?: string,
): Promise<boolean> {
  if (!charging) return true;
  const reserved = reference && (await reservation_store.find(db, organization_id, { item, reference }));
  if (reserved && reserved.quantity >= quantity) return true;
  const account = await store.findAccount(organization_id);
  if (!account) return true;
  return availableMicros(account) >= (await store.price(item)) * quantity;
}

/** Idempotent by its reference. */
const credit = (
  { db, store, ids, clock, audit }: Deps,
  context: Context,
  organization_id: string,
  input: CreditCreate,
): Promise<LedgerEntry> =>
  db.transaction(async (tx) => {
    const account = await store.lockAccount(tx, organization_id);
    if (!account) throw new ApiError('not_found');
    const reference = input.reference ?? null;
    const existing = reference === null ? null : await store.findEntry(tx, organization_id, null, reference);
    if (existing) return existing;
    const entry: LedgerEntry = {
      id: ids.next(),
      organization_id,
      kind: 'credit',
      amount_micros: input.amount_micros,
      balance_micros: account.balance_micros + input.amount_micros,
      item: null,
      quantity: null,
      reference,
      note: input.note ?? null,
      created_at: clock.now().toISOString(),
    };
    await store.insertEntry(tx, organization_id, entry);
    await audit.write(tx, actorOf(context), {
      organization_id,
      action: 'funds.credited',
      object_id: entry.id,
      detail: { amount_micros: entry.amount_micros, reference },
    });
    return entry;
  });

const setPrices = ({ db, store, audit }: Deps, context: Context, patch: PricesPatch): Promise<Prices> =>
  db.transaction(async (tx) => {
    await store.setPrices(tx, patch);
    await audit.write(tx, actorOf(context), {
      organization_id: null,
      action: 'prices.changed',
      object_id: null,
      detail: patch,
    });
    return store.prices(tx);
  });
