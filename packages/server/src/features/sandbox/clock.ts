// Moves the clock of the service, and lets everything that becomes due on the way happen at its own time.
import type { MovableClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import { clockStore } from './clock-store.ts';

/** Work that waits for a time. */
export type Waiter = {
  nextDue(): Promise<Date | null>;
  /** Does what is due, and comes back when it is done. */
  drain(): Promise<void>;
};

const follow_ms = 500;
/** Stops are so far apart at least: what is due within the same second happens together. */
const step_ms = 1000;
/** So many stops on the way; what is left then happens at the end, all at once. */
const max_steps = 1000;

export function sandboxClock(deps: {
  db: Database;
  clock: MovableClock;
  log: Log;
  waiters: readonly Waiter[];
}) {
  const { clock, log, waiters } = deps;
  const store = clockStore(deps.db);
  let timer: NodeJS.Timeout | undefined;
  let moving: Promise<unknown> = Promise.resolve();

  const drain = async () => {
    for (const waiter of waiters) await waiter.drain();
  };

  // Forward only: an answer that was on its way while the clock was moved is an old one.
  const moveTo = (offset_ms: number) => clock.moveTo(Math.max(clock.offset_ms(), offset_ms));
  const read = async () => moveTo(await store.offset_ms());

  const advance = async (seconds: number): Promise<void> => {
    await read();
    await drain();
    let left_ms = seconds * 1000;
    const move = async (by_ms: number) => {
      const step = Math.min(left_ms, Math.max(0, Math.ceil(by_ms)));
      left_ms -= step;
      moveTo(await store.advance(step));
      await drain();
    };
    for (let step = 0; step < max_steps; step++) {
      const due = (await Promise.all(waiters.map((waiter) => waiter.nextDue()))).flatMap(
        (at) => at?.getTime() ?? [],
      );
      const wait_ms = Math.min(...due) + step_ms - clock.ms();
      if (wait_ms >= left_ms) break;
      await move(wait_ms);
    }
    await move(left_ms);
  };

  return {
    read: () => ({ now: clock.now().toISOString(), offset_seconds: clock.offset_ms() / 1000 }),

    /** One at a time: two that overlap would each see the other's work as its own. */
    async advance(seconds: number): Promise<void> {
      const turn = moving.then(() => advance(seconds));
      moving = turn.catch(() => {});
      await turn;
    },

    /** Takes over the time that the other processes have. */
    async start(): Promise<void> {
      await read();
      const follow = () => {
        timer = setTimeout(
          () =>
            read()
              .catch((error) => log.warn({ err: error }, 'the sandbox clock cannot be read'))
              .finally(follow),
          follow_ms,
        ).unref();
      };
      follow();
    },
    stop: () => clearTimeout(timer),
  };
}
