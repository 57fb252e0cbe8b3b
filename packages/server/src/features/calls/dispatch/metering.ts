// Ends a call whose money is used up: every minute is reserved before it begins.
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { Funds } from '../../funds/index.ts';
import type { CallRef, LedCall, ProgressStore } from './progress-store.ts';

const minute_ms = 60_000;
/** So long before the reserved time is over the next minute is asked for, and again until then. */
const ahead_ms = 10_000;
const retry_ms = 1000;

/** A started minute counts as a whole one. */
export const minutesOf = (duration_seconds: number): number => Math.max(1, Math.ceil(duration_seconds / 60));

export const firstMinute = (call: CallRef) =>
  ({ item: 'call_minute', quantity: 1, reference: call.id }) as const;

export type Metering = {
  /** Aborted with `insufficient_funds`, or as the given one is. */
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
    /** Before the call is dialled. `over`: it ended meanwhile, and nothing was reserved. */
    async reserve(call: CallRef): Promise<'free' | 'reserved' | 'insufficient_funds' | 'over'> {
      if (!funds.charging) return 'free';
      return db.transaction(async (tx) => {
        // An end settles what is reserved, so nothing may be reserved after it.
        if (!(await store.lockOpen(tx, call))) return 'over';
        return funds.reserve(tx, call.organization_id, firstMinute(call));
      });
    },

    /** From the moment somebody is on the line, for a call with a reservation of one minute. */
    start(call: LedCall, opened_ms: number, signal: AbortSignal): Metering {
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
        const wanted = { ...firstMinute(call), quantity: minutes + 1 };
        const answer = await funds.extend(call.organization_id, wanted).catch((error) => {
          deps.log.warn({ call_id: call.id, err: error }, 'the next minute of a call could not be reserved');
          return null;
        });
        // Settled: whoever ended the call also tells this process.
        if (is_stopped || answer === 'gone') return;
        if (answer === 'reserved') {
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

/** Releases reservations whose call is over: ones that a process of an older version ended, which knows no reservations. */
export function reservationSweeper(deps: {
  db: Database;
  funds: Pick<Funds, 'charging' | 'reservations' | 'settle'>;
  openAmong(call_ids: string[]): Promise<Set<string>>;
}) {
  const batch = 500;
  return async function sweep(): Promise<void> {
    if (!deps.funds.charging) return;
    for (let after = ''; ; ) {
      const page = await deps.funds.reservations('call_minute', after, batch);
      const open = await deps.openAmong(page.map(({ reference }) => reference));
      for (const { organization_id, reference } of page) {
        if (open.has(reference)) continue;
        const nothing = { item: 'call_minute', quantity: 0, reference } as const;
        await deps.db.transaction((tx) => deps.funds.settle(tx, organization_id, nothing));
      }
      if (page.length < batch) return;
      after = page.at(-1)!.reference;
    }
  };
}
