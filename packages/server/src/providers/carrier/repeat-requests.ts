// Repeats requests about a call that the carrier did not carry out: nobody else would answer that call.
import type { CarrierFailure } from './carrier.ts';

type Busy = Extract<CarrierFailure, { outcome: 'busy' }>;

const busy_attempts = 3;
/** The caller hears ringing meanwhile. */
const longest_busy_pause_seconds = 3;

const pause = (seconds: number) =>
  // A stop of the process does not wait for it.
  new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000).unref());

const isBusy = (result: { outcome: string }): result is Busy => result.outcome === 'busy';

/** Sends the request again while the carrier is too busy for it, a few times. */
export async function repeatBusy<T extends { outcome: string }>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const result = await send();
    if (!isBusy(result) || attempt === busy_attempts) return result;
    await pause(Math.min(result.retry_after_seconds, longest_busy_pause_seconds));
  }
}
