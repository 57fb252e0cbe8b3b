// Calls that wait: released at their time or by an approval, moved to another time, or ended.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Job, JobHandler, Jobs } from '../../../../platform/jobs.ts';
import {
  type Admission,
  approvedState,
  movedState,
  newApproval,
  readSchedule,
  type WaitingRecords,
  type WaitingRef,
} from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import type { CallProgress } from '../dispatch/progress/progress.ts';
import { callRequest, payloadOf } from './payload.ts';
import { holdDetail, release_job, releaseJob } from './release-job.ts';
import type { WaitingCallStore } from './store.ts';

export type WaitingCallDeps = {
  db: Database;
  waiting_store: WaitingCallStore;
  progress: CallProgress;
  admission: Pick<Admission, 'admit'>;
  enqueue: Jobs['enqueue'];
  budgets: Pick<Budgets, 'settleCall'>;
  clock: Clock;
  /** After the commit that lets a call be dialed. */
  committed(): void;
};

/** The port for approvals. */
export const waitingCalls = (deps: WaitingCallDeps): WaitingRecords => ({
  async release(tx, ref, { approval_id }) {
    const { waiting_store, progress, clock } = deps;
    const call = await waiting_store.lock(tx, ref);
    const now = clock.now();
    const approved = call && approvedState(call, approval_id, now);
    if (!approved) return false;
    await waiting_store.wait(tx, ref, approved, now);
    await progress.note(ref, 'released', { kind: 'approval', approval_id }, tx);
    if (approved.hold) await deps.enqueue(tx, releaseJob(ref, approved.hold.until!));
    else tx.afterCommit(deps.committed);
    return true;
  },
  async cancel(tx, ref, end_reason) {
    if (!(await deps.waiting_store.lock(tx, ref))) return false;
    return (await deps.progress.end(tx, ref, { trigger: 'canceled', end_reason, detail: null })) !== null;
  },
  async payload(ref) {
    const call = await deps.waiting_store.payloadFields(ref);
    return call && payloadOf(call);
  },
});

/** Lets a call be dialed when its time has come. */
export const callReleaser = (deps: WaitingCallDeps): JobHandler => ({
  kind: release_job,
  run: ({ payload }: Job) =>
    deps.db.transaction(async (tx) => {
      const { organization_id, call_id } = payload as { organization_id: string; call_id: string };
      const ref = { organization_id, id: call_id };
      const call = await deps.waiting_store.lock(tx, ref);
      // It ended, waits for something else, or was moved to a later time.
      if (!call || call.hold.kind === 'approval' || call.hold.until === null) return;
      if (Date.parse(call.hold.until) > deps.clock.ms()) return;
      await deps.waiting_store.wait(tx, ref, { ...call, hold: null }, deps.clock.now());
      await deps.progress.note(ref, 'released', { kind: call.hold.kind }, tx);
      tx.afterCommit(deps.committed);
    }),
});

/** False when the call does not wait any more. */
export async function rescheduleCall(
  deps: WaitingCallDeps,
  ref: WaitingRef,
  asked_at: string,
): Promise<boolean> {
  const before = await deps.waiting_store.find(ref);
  if (!before) return false;
  const scheduled_at = readSchedule(deps.clock, asked_at)!;
  if (before.hold.kind === 'approval') {
    throw new ApiError('held', {
      detail: 'It waits for an approval, which is valid only for the time that was asked for.',
      fix: `Cancel it with POST /v1/calls/${ref.id}/cancel and place it again with the new time.`,
    });
  }
  const approval = await newApproval(deps.admission, before, callRequest({ ...before, scheduled_at }));
  return deps.db.transaction(async (tx) => {
    const call = await deps.waiting_store.lock(tx, ref);
    const moved = call && movedState(call, before, { scheduled_at, approval });
    if (!moved) return false;
    await deps.waiting_store.wait(tx, ref, moved, deps.clock.now());
    await deps.progress.note(ref, 'held', holdDetail(moved.hold), tx);
    if (!approval) await deps.enqueue(tx, releaseJob(ref, scheduled_at));
    await approval?.commit?.(tx);
    // What was reserved while asking for the approval is reserved again when the call is dialed.
    if (before.terms?.approval_id) await deps.budgets.settleCall(tx, ref.organization_id, ref.id, 0);
    return true;
  });
}
