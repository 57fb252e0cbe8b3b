// Waiting in tests: for a condition, or, where nothing can be observed, for a time with a written reason.
import { setTimeout as sleep } from 'node:timers/promises';

/** Generous, because a loaded machine is slow. A condition that never becomes true is named in the error. */
const default_timeout_ms = 120_000;
const first_interval_ms = 10;
/** The interval grows: most checks are requests, and a long wait with short intervals would keep a processor busy. */
const interval_growth = 1.3;
const max_interval_ms = 60;

type Options = { timeout_ms?: number; interval_ms?: number };

/** Repeats `check` until it returns something truthy, and returns that. */
export async function waitFor<T>(
  what: string | (() => string),
  check: () => T | Promise<T>,
  { timeout_ms = default_timeout_ms, interval_ms }: Options = {},
): Promise<NonNullable<T>> {
  const deadline_ms = performance.now() + timeout_ms;
  for (let next_ms = first_interval_ms; ; next_ms = Math.min(next_ms * interval_growth, max_interval_ms)) {
    const result = await check();
    if (result) return result;
    if (performance.now() > deadline_ms)
      throw new Error(`This did not become true in time: ${typeof what === 'string' ? what : what()}`);
    await sleep(interval_ms ?? next_ms);
  }
}

/** For what cannot be observed: that something does not happen within a period, or a peer that is slow on purpose. */
export async function pause(duration_ms: number, _reason: string): Promise<void> {
  await sleep(duration_ms);
}
