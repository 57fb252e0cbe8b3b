// Claims queued calls, oldest first, while this process has capacity and there are free numbers.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { untilCut } from '../../../platform/drain.ts';
import type { Log } from '../../../platform/log.ts';
import type { Admission, GuardedCarriers } from '../../admission/index.ts';
import type { PoolService } from '../../numbers/index.ts';
import { setupError } from './endings.ts';
import { keptPlaces } from './kept-places.ts';
import type { CallProgress } from './progress.ts';
import type { ProgressStore, RunningCall } from './progress-store.ts';
import type { CallRunner } from './runner.ts';
import { runningCalls } from './running-calls.ts';

/** For calls that another process queued, and for calls that wait until the engines have caught up. */
const poll_ms = 1000;

type DispatcherDeps = {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  pool: Pick<PoolService, 'claimPoolNumber'>;
  carriers: GuardedCarriers;
  admission: Pick<Admission, 'isStopped'>;
  run: CallRunner;
  /** True while the speech engines cannot keep up with the running calls. */
  isBehind(): boolean;
  at_once: number;
  /** This process, as the leader of its calls. */
  leader_id: string;
  lease_seconds: number;
  clock: Clock;
  log: Log;
};

export function callDispatcher(deps: DispatcherDeps) {
  const { carriers, log } = deps;
  const providers = carriers.names().filter((name) => carriers.byName(name)!.voice !== null);
  const running = runningCalls({ ...deps, onEnd: wake });
  const kept = keptPlaces();
  let claiming: Promise<void> | null = null;
  let is_wake_pending = false;
  let is_stopped = false;
  /** The running calls are ended. */
  let is_ending = false;
  let poll: NodeJS.Timeout | undefined;

  const freePlaces = () => deps.at_once - running.count() - kept.count();
  const hasCapacity = () => !is_stopped && freePlaces() > 0 && !deps.isBehind();
  const tryKeepPlace = (onGivenBack = wake) => (hasCapacity() ? kept.keep(onGivenBack) : null);

  const claimAll = async () => {
    do {
      is_wake_pending = false;
      await claimWhile({
        ...deps,
        providers,
        hasCapacity,
        tryKeepPlace: () => tryKeepPlace(() => {}),
        start: running.start,
      });
    } while (is_wake_pending);
  };

  /** Claims as many calls as possible. One loop at a time: a wake-up during a loop lets it run once more. */
  function drain(): Promise<void> {
    is_wake_pending = true;
    claiming ??= claimAll().finally(() => {
      claiming = null;
    });
    return claiming;
  }

  function wake(): void {
    drain().catch((error) => log.warn({ err: error }, 'queued calls not claimed; retrying'));
  }

  /** Resolves when no claim is under way: it may still start a call. */
  async function stopClaiming(cut: AbortSignal | undefined): Promise<void> {
    is_stopped = true;
    clearInterval(poll);
    if (claiming)
      await untilCut(
        claiming.catch(() => {}),
        cut,
      );
  }

  return {
    drain,
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

type ClaimDeps = DispatcherDeps & {
  providers: string[];
  hasCapacity(): boolean;
  /** Returns how to give the place back; null without capacity. */
  tryKeepPlace(): (() => void) | null;
  start(call: RunningCall): void;
};

/** While the kill switch is on, calls stay in the queue until they have waited too long. */
async function claimWhile(deps: ClaimDeps): Promise<void> {
  while (deps.hasCapacity() && !(await deps.admission.isStopped('calls'))) {
    const place: { giveBack: (() => void) | null } = { giveBack: null };
    // Only when there is a call to claim: otherwise every poll could take the last place from an inbound call.
    const keepPlace = () => {
      place.giveBack ??= deps.tryKeepPlace();
      return place.giveBack !== null;
    };
    try {
      const call = await claimNext(deps, keepPlace);
      if (!call) return;
      deps.start(call);
    } finally {
      place.giveBack?.();
    }
  }
}

/** A queued call with its number, now dialing and leased by this process; null when none can be claimed. */
function claimNext(
  { db, store, progress, pool, providers, clock, leader_id, lease_seconds }: ClaimDeps,
  keepPlace: () => boolean,
): Promise<RunningCall | null> {
  return db.transaction(async (tx) => {
    for (const with_pool of [true, false]) {
      const call = await store.next(tx, { with_pool, providers });
      if (!call) continue;
      if (!call.has_number) {
        await progress.end(tx, call, setupError(`The number ${call.from} is not yours any more.`, 'number'));
        return null;
      }
      if (!keepPlace()) return null;
      const number =
        call.from !== null
          ? { e164: call.from, provider: call.provider! }
          : await pool.claimPoolNumber(tx, call.id);
      if (!number) continue;
      const { e164: from, provider } = number;
      const set = { '"from"': from, provider, started_at: clock.now() };
      if (!(await progress.move(tx, call, 'dialed', set, { from, provider }))) return null;
      await store.lease(tx, call, leader_id, lease_seconds);
      return {
        ...call,
        direction: 'outbound',
        from,
        provider,
        leader_id,
        has_pool_number: call.from === null,
      };
    }
    return null;
  });
}
