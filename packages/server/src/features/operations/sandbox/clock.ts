// Moves the sandbox clock forward in steps, so that work that becomes due in between runs at its due time.
import type { MovableClock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Waiter } from '../../../platform/feature.ts';
import type { Log } from '../../../platform/log.ts';
import { clockStore } from './clock-store.ts';

/** How often a process reads the clock that another process may have moved. */
const follow_ms = 500;
/** The shortest step: work that is due within the same second runs together. */
const step_ms = 1000;
/** After this many steps, the rest of the time is one step, and its work runs together at the end. */
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

  // Forward only: an offset that was read before the clock was moved is outdated.
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

    /** One at a time: two that overlap would run each other's due work at the wrong time. */
    async advance(seconds: number): Promise<void> {
      const turn = moving.then(() => advance(seconds));
      moving = turn.catch(() => {});
      await turn;
    },

    /** Reads the clock that the processes share, and follows it. */
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
