// Reserves the funds for a call minute by minute, and ends a call whose funds are used up.
import type { Database, Transaction } from '../../../../../platform/db/database.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import type { Funds } from '../../../../rules/funds/index.ts';
import type { CallRef, ProgressStore, RunningCall } from './progress-store.ts';

const minute_ms = 60_000;
/** The next minute is requested this long before the reserved time is over, with retries until then. */
const ahead_ms = 10_000;
const retry_ms = 1000;

/** A started minute counts as a whole one. */
export const minutesOf = (duration_seconds: number): number => Math.max(1, Math.ceil(duration_seconds / 60));

export const firstMinute = (call: CallRef) =>
  ({ item: 'call_minute', quantity: 1, reference: call.id }) as const;

export type Metering = {
  /** Aborts with `insufficient_funds`, or when the signal that was passed in aborts. */
  signal: AbortSignal;
  stop(): void;
};

export function callMeter(deps: {
  db: Database;
  store: Pick<ProgressStore, 'lockOpen'>;
  funds: Pick<Funds, 'charging' | 'reserve' | 'extend'>;
  media_clock: MediaClock;
  log: Log;
}) {
  const { db, store, funds, media_clock: clock } = deps;

  return {
    /** Reserves the first minute, before the call is dialed. `over`: the call ended meanwhile; nothing was reserved. */
    async reserve(call: CallRef): Promise<'free' | 'reserved' | 'insufficient_funds' | 'over'> {
      if (!funds.charging) return 'free';
      return db.transaction(async (tx) => {
        // The end of a call settles its reservation, so nothing may be reserved after it.
        if (!(await store.lockOpen(tx, call))) return 'over';
        return funds.reserve(tx, call.organization_id, firstMinute(call));
      });
    },

    /** From the answer on, for a call with a reservation of one minute. */
    start(call: RunningCall, opened_ms: number, signal: AbortSignal): Metering {
      const used_up = new AbortController();
      const longest_ms = call.plan.max_duration_seconds * 1000;
      let minutes = 1;
      let is_stopped = false;
      let cancelAttempt = () => {};
      let cancelLimit = () => {};
      const stop = () => {
        is_stopped = true;
        cancelAttempt();
        cancelLimit();
      };
      const remaining_ms = () => opened_ms + minutes * minute_ms - clock.ms();

      const extend = async (): Promise<void> => {
        const reservation = { ...firstMinute(call), quantity: minutes + 1 };
        const result = await funds.extend(call.organization_id, reservation).catch((error) => {
          deps.log.warn({ call_id: call.id, err: error }, 'call minute not reserved');
          return null;
        });
        // `gone`: the reservation was settled because the call ended, so this process will hang up anyway.
        if (is_stopped || result === 'gone') return;
        if (result === 'reserved') {
          minutes++;
          return schedule();
        }
        cancelAttempt = clock.after(retry_ms, () => void extend());
      };
      const schedule = () => {
        cancelLimit();
        if (minutes * minute_ms >= longest_ms) return;
        cancelLimit = clock.after(Math.max(0, remaining_ms()), () => {
          stop();
          used_up.abort('insufficient_funds');
        });
        cancelAttempt = clock.after(Math.max(0, remaining_ms() - ahead_ms), () => void extend());
      };
      schedule();
      return { signal: AbortSignal.any([signal, used_up.signal]), stop };
    },
  };
}
export type CallMeter = ReturnType<typeof callMeter>;

/** Reservations with the id of a call as their reference, of all organizations. */
export type CallReservations = {
  /** The next ones after this reference, in the order of references. */
  page(after: string, limit: number): Promise<{ organization_id: string; reference: string }[]>;
  release(tx: Transaction, organization_id: string, reference: string): Promise<unknown>;
};

export const reservedFunds = (
  funds: Pick<Funds, 'charging' | 'reservations' | 'settle'>,
): CallReservations => ({
  page: async (after, limit) => (funds.charging ? funds.reservations('call_minute', after, limit) : []),
  release: (tx, organization_id, reference) =>
    funds.settle(tx, organization_id, { item: 'call_minute', quantity: 0, reference }),
});

/** Releases reservations of calls that are over: a process may be killed between a reservation and the end of its call. */
export function reservationSweeper(deps: {
  db: Database;
  kinds: readonly CallReservations[];
  openAmong(call_ids: string[]): Promise<Set<string>>;
}) {
  const batch = 500;
  const sweepKind = async ({ page, release }: CallReservations): Promise<void> => {
    for (let after = ''; ; ) {
      const found = await page(after, batch);
      const open = await deps.openAmong(found.map(({ reference }) => reference));
      for (const { organization_id, reference } of found)
        if (!open.has(reference)) await deps.db.transaction((tx) => release(tx, organization_id, reference));
      if (found.length < batch) return;
      after = found.at(-1)!.reference;
    }
  };
  return async function sweep(): Promise<void> {
    for (const kind of deps.kinds) await sweepKind(kind);
  };
}
