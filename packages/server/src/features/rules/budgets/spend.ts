// Counts what is sent against its budgets. Requests that arrive together share one transaction, which locks the counters: the
// limits hold exactly over any number of processes.
import { type BudgetThresholdData, budget_thresholds } from '@parley/contract/rules/spending/budget-events';
import { batched } from '../../../platform/batch.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../platform/event.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { UseRef } from './budget.ts';
import {
  type BudgetRow,
  type BudgetUse,
  hasRoom,
  percentUsed,
  type Spender,
  type SpendingChannel,
} from './budget.ts';
import { type AskedUse, countedByBudgets } from './count-store.ts';
import type { BudgetUseStore } from './use-store.ts';
import { windowEnd, windowStartText } from './windows.ts';

export type Spending = {
  organization_id: string;
  channel: SpendingChannel;
  spender: Spender;
  count: number;
  /** What it costs at most. */
  micros: number;
  /** Calls at create: the price of the first minute must fit, but it is added only when the call is dialed. */
  is_only_counted?: boolean;
};

export type CallSpending = {
  organization_id: string;
  /** The id of the call. */
  reference: string;
  spender: Spender;
  /** 1 when the call was not counted before. */
  count: number;
  minutes: number;
  price_micros: number;
};

export type Spent = { exceeded: BudgetRow | null; uses: CountedUse[] };
export type CountedUse = UseRef & { count: number; micros: number };
export type CountingCondition = ReturnType<typeof countedByBudgets>;
type LockedUse = BudgetRow & BudgetUse & UseRef;

type Deps = {
  db: Database;
  clock: Clock;
  store: BudgetUseStore;
  unitOfWork: UnitOfWork;
};
type Input = {
  spending: Spending;
  budgets: readonly BudgetRow[];
  /**
   * The record is stored after this. That commit writes the log of the database up to its own position, so this one need not
   * wait for the disk: no record is stored whose count could be lost.
   */
  is_before_store: boolean;
};

/** An inbound call is stored within seconds after its reservation. */
const settled_after_ms = 300_000;

const keyOf = ({ budget_id, window_start }: UseRef) => `${budget_id} ${window_start}`;

export function budgetSpending(deps: Deps) {
  const { db, store } = deps;
  const spendExactly = deps.unitOfWork.sharedTransaction<Input, Spent>(
    (tx, inputs) => spendTogether(deps, tx, inputs),
    { max_flushes: 1 },
  );
  return {
    /** In one statement where possible. Statements of one process would only wait for each other's locks. */
    spend: batched<Input, Spent>(
      async (inputs) => (await spendQuietly(deps, inputs)) ?? Promise.all(inputs.map(spendExactly)),
      { max_flushes: 1 },
    ),

    /**
     * For a record that the statement that stores it can count. It is not stored when a budget has no room or a threshold is
     * passed: `spend` decides then.
     */
    countWithRecord(spending: Spending, budgets: readonly BudgetRow[]) {
      const uses = askedOf(deps, spending, budgets);
      return { condition: countedByBudgets({ uses }), counted: uses.map(withoutNeed) };
    },

    /** For the transaction that stores the record. `count` returns the budget without room, if there is one. */
    spendWithRecord(spending: Spending, budgets: readonly BudgetRow[]) {
      return {
        counted: askedOf(deps, spending, budgets).map(withoutNeed),
        async count(tx: Transaction): Promise<BudgetRow | null> {
          const [spent] = await spendTogether(deps, tx, [{ spending, budgets, is_before_store: true }]);
          return spent!.exceeded;
        },
      };
    },

    /** The budget without room, if there is one. Counts nothing. */
    async fullBudget(spending: Spending, budgets: readonly BudgetRow[]): Promise<BudgetRow | null> {
      const uses = await store.uses(refsOf(deps, budgets));
      const full = budgets.find(
        (budget, index) => !hasRoom(budget, uses[index]!, spending.count, spending.micros),
      );
      return full ?? null;
    },

    /** For something that was counted and not sent after all. */
    giveBack: (uses: readonly CountedUse[], on: Queryable = db): Promise<void> => giveBack(deps, uses, on),

    reserveCall: (call: CallSpending, budgets: readonly BudgetRow[]) =>
      db.transaction((tx) => reserveCall(deps, tx, call, budgets)),

    /** The end of a call: gives back the minutes that were reserved and not used. Safe to repeat. */
    settleCall: (tx: Transaction, organization_id: string, reference: string, minutes: number) =>
      settle(deps, tx, organization_id, reference, minutes),

    /** A call that is not dialed now, but later: gives back everything that was reserved for it. */
    releaseCall: (tx: Transaction, organization_id: string, reference: string) =>
      giveBackCall(deps, tx, { organization_id, reference }),

    /** Reservations that are old enough that their call is stored: that of an inbound call is made before. */
    oldReservations: (after: string, limit: number) =>
      store.reservationsBefore(new Date(deps.clock.ms() - settled_after_ms), after, limit),
  };
}
export type BudgetSpending = ReturnType<typeof budgetSpending>;

async function giveBack({ store }: Deps, uses: readonly CountedUse[], on: Queryable): Promise<void> {
  if (uses.length === 0) return;
  await store.add(
    on,
    uses.map((use) => ({ ...use, count: -use.count, micros: -use.micros })),
  );
}

function refsOf({ clock }: Deps, budgets: readonly BudgetRow[]): UseRef[] {
  const now_ms = clock.ms();
  return budgets.map(({ id: budget_id, organization_id, window }) => ({
    organization_id,
    budget_id,
    window_start: windowStartText(window, now_ms),
  }));
}

async function lock(
  { store }: Deps,
  tx: Transaction,
  refs: readonly UseRef[],
): Promise<Map<string, LockedUse>> {
  const unique = [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()];
  return new Map((await store.lockUses(tx, unique)).map((use) => [keyOf(use), use]));
}

/** The common case: everything fits, and no threshold is passed. Null, and nothing was counted, when that is not so. */
async function spendQuietly(deps: Deps, inputs: readonly Input[]): Promise<Spent[] | null> {
  const uses_of_each = inputs.map(({ spending, budgets }) => askedOf(deps, spending, budgets));
  const is_durable = !inputs.every(({ is_before_store }) => is_before_store);
  if (!(await deps.store.addIfQuiet(summed(uses_of_each.flat()), { is_durable }))) return null;
  return uses_of_each.map((uses) => ({ exceeded: null, uses: uses.map(withoutNeed) }));
}

function askedOf(deps: Deps, spending: Spending, budgets: readonly BudgetRow[]): AskedUse[] {
  const { count, micros: needed_micros, is_only_counted } = spending;
  const micros = is_only_counted ? 0 : needed_micros;
  return refsOf(deps, budgets).map((ref) => ({ ...ref, count, micros, needed_micros }));
}

const withoutNeed = ({ needed_micros: _, ...use }: AskedUse): CountedUse => use;

/** Each input sees what the ones before it used. */
async function spendTogether(deps: Deps, tx: Transaction, inputs: readonly Input[]): Promise<Spent[]> {
  const locked = await lock(
    deps,
    tx,
    inputs.flatMap(({ budgets }) => refsOf(deps, budgets)),
  );
  const before = new Map([...locked.values()].map((use) => [use, percentUsed(use, use)]));
  const results = inputs.map(({ spending, budgets }): Spent => {
    const uses = refsOf(deps, budgets).flatMap((ref) => locked.get(keyOf(ref)) ?? []);
    const exceeded = uses.find((use) => !hasRoom(use, use, spending.count, spending.micros));
    if (exceeded) return { exceeded, uses: [] };
    const micros = spending.is_only_counted ? 0 : spending.micros;
    return { exceeded: null, uses: uses.map((use) => addTo(use, spending.count, micros)) };
  });
  await deps.store.add(tx, summed(results.flatMap(({ uses }) => uses)));
  await announce(deps, tx, before);
  return results;
}

function addTo(use: LockedUse, count: number, micros: number): CountedUse {
  use.used_count += count;
  use.used_micros += micros;
  const { organization_id, budget_id, window_start } = use;
  return { organization_id, budget_id, window_start, count, micros };
}

/**
 * Reserves the whole length of a call, cut to what its budgets pay, so that calls at the same time cannot exceed them
 * together. Returns the minutes; 0 when not even one is paid.
 */
async function reserveCall(
  deps: Deps,
  tx: Transaction,
  call: CallSpending,
  budgets: readonly BudgetRow[],
): Promise<{ minutes: number; exceeded: BudgetRow | null }> {
  // A call that was put back into the queue may have a reservation of its first try.
  await giveBackCall(deps, tx, call);
  const locked = [...(await lock(deps, tx, refsOf(deps, budgets))).values()];
  const before = new Map(locked.map((use) => [use, percentUsed(use, use)]));
  const full = locked.find((use) => !hasRoom(use, use, call.count, 0) || paidMinutes(use, call) === 0);
  if (full) return { minutes: 0, exceeded: full };
  const minutes = Math.min(call.minutes, ...locked.map((use) => paidMinutes(use, call)));
  const { count, price_micros } = call;
  const uses = locked.map((use) => addTo(use, count, minutes * price_micros));
  await deps.store.add(tx, uses);
  const reservations = uses.map((use) => ({ ...use, minutes, price_micros }));
  await deps.store.insertReservations(tx, call.reference, reservations, deps.clock.now());
  await announce(deps, tx, before);
  return { minutes, exceeded: null };
}

function paidMinutes(use: LockedUse, { price_micros }: CallSpending): number {
  if (use.max_count === 0) return 0;
  if (use.max_amount_micros === null || price_micros === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((use.max_amount_micros - use.used_micros) / price_micros));
}

async function giveBackCall(
  { store }: Deps,
  tx: Transaction,
  call: Pick<CallSpending, 'organization_id' | 'reference'>,
): Promise<void> {
  const reserved = await store.takeReservations(tx, call.organization_id, call.reference);
  if (reserved.length === 0) return;
  await store.add(
    tx,
    reserved.map((each) => ({ ...each, count: -each.count, micros: -each.minutes * each.price_micros })),
  );
}

/** The call itself stays counted. */
async function settle(
  { store }: Deps,
  tx: Transaction,
  organization_id: string,
  reference: string,
  minutes: number,
): Promise<void> {
  const reserved = await store.takeReservations(tx, organization_id, reference);
  if (reserved.length === 0) return;
  await store.add(
    tx,
    reserved.map((each) => ({
      ...each,
      count: 0,
      micros: -Math.max(0, each.minutes - minutes) * each.price_micros,
    })),
  );
}

/** One row per counter, because an UPDATE applies only one of several source rows. */
function summed<Use extends CountedUse & { needed_micros?: number }>(uses: readonly Use[]): Use[] {
  const sums = new Map<string, Use>();
  for (const use of uses) {
    const sum = sums.get(keyOf(use));
    if (!sum) sums.set(keyOf(use), { ...use });
    else {
      sum.count += use.count;
      sum.micros += use.micros;
      if (sum.needed_micros !== undefined) sum.needed_micros += use.needed_micros ?? 0;
    }
  }
  return [...sums.values()];
}

/** One event for every threshold that the transaction passes. */
async function announce(
  { clock, unitOfWork }: Deps,
  tx: Transaction,
  before: ReadonlyMap<LockedUse, number>,
): Promise<void> {
  const events = [...before].flatMap(([use, percent_before]) => {
    const percent = percentUsed(use, use);
    return budget_thresholds
      .filter((threshold) => percent_before < threshold && percent >= threshold)
      .map((threshold) => thresholdEvent(use, threshold, clock));
  });
  if (events.length > 0) await unitOfWork.commitIn(tx, [{ events }]);
}

function thresholdEvent(use: LockedUse, percent: number, clock: Clock): NewEvent {
  const data: BudgetThresholdData = {
    id: use.budget_id,
    subject_kind: use.subject_kind,
    subject_id: use.subject_id,
    channel: use.channel,
    window: use.window,
    percent,
    used_count: use.used_count,
    max_count: use.max_count,
    used_micros: use.used_micros,
    max_amount_micros: use.max_amount_micros,
    resets_at: windowEnd(use.window, clock.ms()).toISOString(),
  };
  return {
    organization_id: use.organization_id,
    type: 'budget.threshold',
    resource_id: use.budget_id,
    data,
  };
}
