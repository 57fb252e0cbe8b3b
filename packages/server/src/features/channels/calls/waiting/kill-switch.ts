// Shows in the record of every queued call that the kill switch holds it back, and lets the calls go when the switch is off.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { Admission, WaitingRef } from '../../../rules/admission/index.ts';
import type { CallProgress } from '../dispatch/progress/progress.ts';
import { holdDetail } from './release-job.ts';
import type { WaitingCallStore } from './store.ts';

export type KillSwitchDeps = {
  db: Database;
  waiting_store: WaitingCallStore;
  progress: CallProgress;
  admission: Pick<Admission, 'isStopped'>;
  clock: Clock;
  /** After the commit that lets calls be dialed. */
  committed(): void;
};

const batch = 500;

/** Without a time: the switch is checked every two seconds. */
export const stopped_hold: Hold = {
  kind: 'kill_switch',
  until: null,
  approval_id: null,
  message: 'The operator stopped all calls. It is dialed when they are allowed again.',
};

/** Idempotent: every process may run it. */
export async function followKillSwitch(deps: KillSwitchDeps): Promise<void> {
  const { waiting_store, progress } = deps;
  if (await deps.admission.isStopped('calls')) {
    await inBatches(deps, async (tx) => {
      const stopped_calls = await waiting_store.holdQueued(tx, stopped_hold, batch);
      for (const call of stopped_calls) await progress.note(call, 'held', holdDetail(stopped_hold), tx);
      return stopped_calls;
    });
    return;
  }
  await inBatches(deps, async (tx) => {
    const released = await waiting_store.releaseStopped(tx, deps.clock.now(), batch);
    for (const call of released) await progress.note(call, 'released', { kind: 'kill_switch' }, tx);
    if (released.length > 0) tx.afterCommit(deps.committed);
    return released;
  });
}

async function inBatches(
  { db }: KillSwitchDeps,
  work: (tx: Transaction) => Promise<readonly WaitingRef[]>,
): Promise<void> {
  while ((await db.transaction(work)).length === batch);
}
