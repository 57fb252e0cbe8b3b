// A media clock that a test moves in steps. Between steps it waits for pending work, so tests are fast and repeatable.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MediaClock } from '../src/providers/media/media-clock.ts';

export type SteppedClock = MediaClock & {
  /** Moves time forward in steps of 20 ms. Before each step, pending promises get the chance to settle. */
  pass(ms: number): Promise<void>;
  /** Moves time forward until the condition holds. */
  passUntil(condition: () => boolean, limit_ms: number): Promise<void>;
  /** Stops time until this work, such as that of a speech engine, is done. */
  holdFor<T>(work: Promise<T>): Promise<T>;
};

const step_ms = 20;

export function steppedClock(): SteppedClock {
  let now_ms = 0;
  let order = 0;
  const timers = new Set<{ due_ms: number; order: number; run: () => void }>();
  const held = new Set<Promise<unknown>>();

  const after = (delay_ms: number, run: () => void) => {
    const timer = { due_ms: now_ms + Math.max(0, delay_ms), order: order++, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const settle = async () => {
    // A few turns of the event loop let promise chains and thread messages settle.
    for (let quiet = 0; quiet < 3; quiet++) {
      while (held.size > 0) {
        await Promise.allSettled(held);
        quiet = 0;
      }
      await nextTurn();
    }
  };

  const runUntil = (end_ms: number) => {
    while (true) {
      const due = [...timers].filter((timer) => timer.due_ms <= end_ms);
      const next = due.sort((a, b) => a.due_ms - b.due_ms || a.order - b.order)[0];
      if (!next) break;
      timers.delete(next);
      now_ms = Math.max(now_ms, next.due_ms);
      next.run();
    }
    now_ms = end_ms;
  };

  const pass = async (ms: number) => {
    const end_ms = now_ms + ms;
    while (now_ms < end_ms) {
      await settle();
      runUntil(Math.min(end_ms, now_ms + step_ms));
    }
    await settle();
  };

  return {
    ms: () => now_ms,
    after,
    every(period_ms, tick) {
      let cancel = () => {};
      let ended = false;
      const again = () => {
        cancel = after(period_ms, () => {
          again();
          if (!ended) tick();
        });
      };
      again();
      return () => {
        ended = true;
        cancel();
      };
    },
    pass,
    async passUntil(condition, limit_ms) {
      const end_ms = now_ms + limit_ms;
      await settle();
      while (!condition()) {
        if (now_ms >= end_ms) throw new Error(`Condition not met after ${limit_ms} ms: ${condition}`);
        await pass(step_ms);
      }
    },
    holdFor(work) {
      const done = work.then(
        () => void held.delete(done),
        () => void held.delete(done),
      );
      held.add(done);
      return work;
    },
  };
}
