// Decides which calls this process runs: queued calls while it has capacity, and inbound calls that have a place.
import { untilCut } from '../../../../platform/drain.ts';
import type { Log } from '../../../../platform/log.ts';
import type { GuardedCarriers } from '../../../rules/admission/index.ts';
import type { ProgressStore, RunningCall } from './progress/progress-store.ts';
import { type ClaimDeps, callClaims } from './queue/claim-calls.ts';
import { keptPlaces } from './queue/kept-places.ts';
import { runningCalls } from './queue/running-calls.ts';
import type { CallRunner } from './runner.ts';

/** For calls that another process queued, and for calls that wait until the engines have caught up. */
const poll_ms = 1000;

type DispatcherDeps = Omit<ClaimDeps, 'providers' | 'hasCapacity' | 'tryKeepPlace' | 'start'> & {
  store: ProgressStore;
  carriers: GuardedCarriers;
  run: CallRunner;
  /** True while the speech engines cannot keep up with the running calls. */
  isBehind(): boolean;
  at_once: number;
  log: Log;
};

export function callDispatcher(deps: DispatcherDeps) {
  const { carriers, log } = deps;
  const providers = carriers.names().filter((name) => carriers.byName(name)!.voice !== null);
  const running = runningCalls({ ...deps, onEnd: wake });
  const kept = keptPlaces();
  let is_stopped = false;
  /** The running calls are ended. */
  let is_ending = false;
  let poll: NodeJS.Timeout | undefined;

  const freePlaces = () => deps.at_once - running.count() - kept.count();
  const hasCapacity = () => !is_stopped && freePlaces() > 0 && !deps.isBehind();
  const tryKeepPlace = (onGivenBack = wake) => (hasCapacity() ? kept.keep(onGivenBack) : null);
  const claims = callClaims({
    ...deps,
    providers,
    hasCapacity,
    // The loop of claims looks for the next call itself.
    tryKeepPlace: () => tryKeepPlace(() => {}),
    start: running.start,
  });

  function wake(): void {
    claims.drain().catch((error) => log.warn({ err: error }, 'queued calls not claimed; retrying'));
  }

  /** Resolves when no claim is under way: it may still start a call. */
  async function stopClaiming(cut: AbortSignal | undefined): Promise<void> {
    is_stopped = true;
    clearInterval(poll);
    await untilCut(claims.idle(), cut);
  }

  return {
    /** Claims as many calls as possible now. */
    drain: claims.drain,
    wake,
    hasCapacity,
    /** How many more calls this process can take now. */
    freeCount: () => (hasCapacity() ? freePlaces() : 0),
    runningCount: running.count,
    /** Keep a place for an inbound call and return how to give it back. `tryKeepPlace` returns null without capacity. */
    keepPlace: () => kept.keep(wake),
    tryKeepPlace: () => tryKeepPlace(),
    /** Inbound calls that have a place are taken even while this process finishes its calls. */
    takesKeptCalls: () => !is_ending,
    /** Runs an inbound call, which waits in no queue. */
    run: (call: RunningCall) => running.start(call),
    /** The call to a colleague counts as a call of this process, also beyond its capacity: somebody waits for it. */
    runLeg: (leg: RunningCall, run: CallRunner) => running.start(leg, run),
    hangUp: running.hangUp,
    reportEnd: running.reportEnd,
    reportedEnd: running.reportedEnd,
    /** Every process polls by itself: if one process polled for all, it might be the one without capacity. */
    start() {
      if (deps.at_once > 0) poll = setInterval(wake, poll_ms);
    },
    /** Claims no more calls; resolves when the running ones are over, or the signal aborts. */
    async finish(cut: AbortSignal): Promise<void> {
      await stopClaiming(cut);
      await untilIdle([kept, running], cut);
    },
    /** Claims no more calls, then ends the running ones. */
    async stop(cut?: AbortSignal): Promise<void> {
      is_ending = true;
      await stopClaiming(cut);
      await running.stop(cut);
    },
  };
}
export type CallDispatcher = ReturnType<typeof callDispatcher>;

/** A place that is given back may have become a running call. */
async function untilIdle(
  parts: { count(): number; idle(cut: AbortSignal): Promise<void> }[],
  cut: AbortSignal,
): Promise<void> {
  while (parts.some((part) => part.count() > 0) && !cut.aborted)
    for (const part of parts) await part.idle(cut);
}
