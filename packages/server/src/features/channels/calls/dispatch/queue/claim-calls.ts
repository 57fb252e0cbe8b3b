// Claims queued calls, oldest first, while this process has capacity and there are free numbers.
import type { Clock } from '../../../../../platform/clock.ts';
import type { Database } from '../../../../../platform/db/database.ts';
import type { Admission } from '../../../../rules/admission/index.ts';
import type { PoolService } from '../../../numbers/index.ts';
import { setupError } from '../progress/endings.ts';
import type { CallProgress } from '../progress/progress.ts';
import type { ProgressStore, RunningCall } from '../progress/progress-store.ts';

export type ClaimDeps = {
  db: Database;
  store: Pick<ProgressStore, 'next' | 'lease'>;
  progress: CallProgress;
  pool: Pick<PoolService, 'claimPoolNumber'>;
  admission: Pick<Admission, 'isStopped'>;
  /** This process, as the leader of its calls. */
  leader_id: string;
  lease_seconds: number;
  clock: Clock;
  /** The carriers that can place calls. */
  providers: string[];
  hasCapacity(): boolean;
  /** Returns how to give the place back; null without capacity. */
  tryKeepPlace(): (() => void) | null;
  start(call: RunningCall): void;
};

export function callClaims(deps: ClaimDeps) {
  let claiming: Promise<void> | null = null;
  let must_repeat = false;

  const claimAll = async () => {
    do {
      must_repeat = false;
      await claimWhile(deps);
    } while (must_repeat);
  };

  return {
    /** Claims as many calls as possible. One loop at a time: a request during a loop lets it run once more. */
    drain(): Promise<void> {
      must_repeat = true;
      claiming ??= claimAll().finally(() => {
        claiming = null;
      });
      return claiming;
    },
    /** Resolves when no claim is under way. */
    async idle(): Promise<void> {
      await claiming?.catch(() => {});
    },
  };
}

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
