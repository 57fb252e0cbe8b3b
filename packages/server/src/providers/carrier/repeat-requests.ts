// Repeats requests about a call that the carrier did not carry out: nobody else would answer or hang up that call.
import type { VoicePort } from './carrier.ts';
import type { CarrierFailure } from './carrier-failure.ts';

type HangUp = VoicePort['hangUp'];
type HungUp = Awaited<ReturnType<HangUp>>;
type Busy = Extract<CarrierFailure, { outcome: 'busy' }>;

const busy_attempts = 3;
/** The caller hears ringing meanwhile. */
const longest_busy_pause_seconds = 3;
const longest_pause_seconds = 30;
/** About 20 minutes. */
const max_hang_up_repeats = 40;

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

type HangUpDeps = { carrier: string; log: { warn(fields: object, text: string): void } };

/** Returns the outcome of the first request. Where the call may go on, the request is repeated in the background. */
export function repeatedHangUp(deps: HangUpDeps, hangUp: HangUp): HangUp {
  const repeating = new Set<string>();
  return async (provider_call_id) => {
    const first = await hangUp(provider_call_id);
    if (!isDone(first) && !repeating.has(provider_call_id)) {
      repeating.add(provider_call_id);
      void repeatHangUp(deps, () => hangUp(provider_call_id), first).finally(() =>
        repeating.delete(provider_call_id),
      );
    }
    return first;
  };
}

const isDone = ({ outcome }: HungUp) => outcome === 'ended' || outcome === 'already_ended';

async function repeatHangUp(
  { carrier, log }: HangUpDeps,
  hangUp: () => Promise<HungUp>,
  first: HungUp,
): Promise<void> {
  let last = first;
  for (let repeat = 0; repeat < max_hang_up_repeats; repeat++) {
    if (isDone(last) || last.outcome === 'refused') break;
    const seconds = isBusy(last) ? last.retry_after_seconds : 2 ** Math.min(repeat, 5);
    await pause(Math.min(seconds, longest_pause_seconds));
    last = await hangUp().catch((error: Error) => ({ outcome: 'lost', detail: error.message }));
  }
  if (!isDone(last)) log.warn({ carrier, ...last }, 'call not hung up at the carrier');
}
