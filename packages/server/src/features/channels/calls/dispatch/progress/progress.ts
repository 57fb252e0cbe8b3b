// Moves a call through its statuses. Every move adds a timeline entry; every end releases the number and settles the funds.
import type {
  Call,
  CallEndReason,
  CallEventKind,
  CallTrigger,
} from '@parley/contract/channels/calls/call-records';
import { isOpenTransfer } from '@parley/contract/channels/calls/call-transfers';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Database, Row, Transaction } from '../../../../../platform/db/database.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { Jobs } from '../../../../../platform/jobs.ts';
import type { CountOutcome } from '../../../../../platform/metrics.ts';
import { default_terms, dueAt, type SendingTerms } from '../../../../rules/admission/index.ts';
import type { Budgets } from '../../../../rules/budgets/index.ts';
import type { Funds } from '../../../../rules/funds/index.ts';
import type { PoolService } from '../../../numbers/index.ts';
import { resultAtEnd } from '../../results/result-store.ts';
import { enqueueResult } from '../../results/settle-result.ts';
import type { TimelineStore } from '../../timeline-store.ts';
import type { TransferStore } from '../../transfer/store.ts';
import { holdDetail, releaseJob } from '../../waiting/release-job.ts';
import { minutesOf } from './metering.ts';
import type { CallRef, ProgressStore, RunningCall } from './progress-store.ts';

export type EndTrigger = Extract<CallTrigger, 'hung_up' | 'declined' | 'rang_out' | 'broke' | 'canceled'>;

export type CallEnding = {
  trigger: EndTrigger;
  end_reason: CallEndReason;
  /** For the timeline. */
  detail: string | null;
  /** The rule that stopped the call. */
  check?: string;
  /** What failed, where it was not the carrier. */
  layer?: string;
  duration_seconds?: number | null;
  set?: Row;
};

/** Why a call goes back to the queue before it is dialed. */
export type Requeue = {
  check: string;
  detail: string;
  admission: string;
  hold: Hold;
  /** Null: it keeps its terms. */
  terms: SendingTerms | null;
  /** Runs in the transaction that stores the hold. */
  commit: ((tx: Transaction) => Promise<void>) | null;
};

type ProgressDeps = {
  db: Database;
  store: ProgressStore;
  timeline: TimelineStore;
  transfers: Pick<TransferStore, 'legRang' | 'callEnded'>;
  pool: Pick<PoolService, 'releasePoolNumber'>;
  funds: Pick<Funds, 'settle'>;
  budgets: Pick<Budgets, 'settleCall' | 'releaseCall' | 'giveBack'>;
  enqueue: Jobs['enqueue'];
  clock: Clock;
  ids: Ids;
  countOutcome: CountOutcome;
  /** Called after the commit that ended a call and released its number. */
  ended(call: CallRef): void;
};

export function callProgress(deps: ProgressDeps) {
  const { db, clock } = deps;
  const move = (
    tx: Transaction,
    call: CallRef,
    trigger: CallTrigger,
    set: Row,
    detail: Record<string, unknown>,
  ) => moveCall(deps, tx, call, { trigger, set, detail });
  return {
    /** Adds an entry to the timeline. Returns 0 when another process leads the call. */
    note: (
      call: CallRef,
      kind: CallEventKind,
      detail: Record<string, unknown> = {},
      on: Database | Transaction = db,
    ) => addNote(deps, on, call, kind, detail),
    /**
     * Fixes the time of an entry now; the returned function stores it. For what has begun and whose consequences may be
     * stored before it: the entry keeps its position in the timeline.
     */
    noteFromNow(call: CallRef, kind: CallEventKind) {
      const moment = entryMoment(deps);
      return (detail: Record<string, unknown>) => addNote(deps, db, call, kind, detail, moment);
    },
    move,
    end: (tx: Transaction, call: CallRef, ending: CallEnding) => endCall(deps, tx, call, ending),
    /** Ends the call in a transaction of its own. */
    endAlone: (call: CallRef, ending: CallEnding) => db.transaction((tx) => endCall(deps, tx, call, ending)),
    /** For a call that ended while it was checked: what that check reserved was not there when the end settled it. */
    releaseBudgets: ({ organization_id, id }: CallRef) =>
      db.transaction((tx) => deps.budgets.releaseCall(tx, organization_id, id)),
    requeue: (call: RunningCall, why: Requeue) => db.transaction((tx) => requeueCall(deps, tx, call, why)),
    rang: (tx: Transaction, call: CallRef, detail: Record<string, unknown>) =>
      move(tx, call, 'rang', { ringing_at: clock.now() }, detail),
    answered: (
      tx: Transaction,
      call: CallRef,
      by: { answered_by: string | null },
      detail: Record<string, unknown>,
    ) => move(tx, call, 'answered', { answered_at: clock.now(), ...by }, detail),
    /** The duration until now; null for a call that was not answered. */
    secondsSince: (answered_at: Date | null): number | null =>
      answered_at && Math.max(0, Math.round((clock.ms() - answered_at.getTime()) / 1000)),
  };
}
export type CallProgress = ReturnType<typeof callProgress>;

/** The token of the carrier's audio socket is valid only while the call is. */
const no_media_token = { leader_url: null, media_token_hash: null };

/** The id and time of an entry. The timeline is sorted by id, and ids sort by creation. */
const entryMoment = ({ ids, clock }: ProgressDeps) => ({
  id: ids.next(),
  occurred_at: clock.now().toISOString(),
});

const addNote = (
  deps: ProgressDeps,
  on: Database | Transaction,
  call: CallRef,
  kind: CallEventKind,
  detail: Record<string, unknown>,
  moment = entryMoment(deps),
) => {
  const { organization_id, id: call_id } = call;
  return deps.timeline.add(call, { ...moment, organization_id, call_id, kind, detail }, on);
};

/** Null when the trigger does not apply to the call's status. */
async function moveCall(
  deps: ProgressDeps,
  tx: Transaction,
  call: CallRef,
  { trigger, set, detail }: { trigger: CallTrigger; set: Row; detail: Record<string, unknown> },
): Promise<Call | null> {
  const moved = await deps.store.move(tx, call, trigger, set);
  // Not as the leader: the move may have ended its lead.
  const { id, organization_id } = call;
  if (moved) await addNote(deps, tx, { id, organization_id }, trigger, detail);
  if (moved?.parent_call_id && trigger === 'rang') await deps.transfers.legRang(tx, call);
  return moved;
}

/** Puts a call that was not placed back into the queue, where it waits. A no-op when it has ended. */
async function requeueCall(
  deps: ProgressDeps,
  tx: Transaction,
  call: RunningCall,
  { admission, hold, terms, commit, ...detail }: Requeue,
): Promise<void> {
  const has_pool_number = call.direction === 'outbound' && call.has_pool_number;
  const set = {
    ...(has_pool_number ? { '"from"': null, provider: null } : {}),
    started_at: null,
    lease_until: null,
    leader_id: null,
    ...no_media_token,
    admission,
    hold: JSON.stringify(hold),
    terms: JSON.stringify(terms ?? call.terms ?? default_terms),
  };
  const note = { ...detail, hold: holdDetail(hold) };
  if (!(await moveCall(deps, tx, call, { trigger: 'requeued', set, detail: note }))) return;
  await deps.pool.releasePoolNumber(tx, call.id);
  const { organization_id, id } = call;
  await deps.funds.settle(tx, organization_id, { item: 'call_minute', quantity: 0, reference: id });
  // An earlier attempt, for which the carrier was busy, may have counted a call that is counted when it is dialed.
  await deps.budgets.releaseCall(tx, organization_id, id);
  const run_at = dueAt(hold);
  if (run_at) await deps.enqueue(tx, releaseJob(call, run_at));
  await commit?.(tx);
}

/** Charges the minutes that were used, and releases the rest of what was reserved for the call. */
async function settle(
  { funds, budgets }: ProgressDeps,
  tx: Transaction,
  { organization_id, id }: CallRef,
  minutes: number,
): Promise<void> {
  await funds.settle(tx, organization_id, { item: 'call_minute', quantity: minutes, reference: id });
  await budgets.settleCall(tx, organization_id, id, minutes);
}

/** Null when the call had already ended. */
async function endCall(
  deps: ProgressDeps,
  tx: Transaction,
  call: CallRef,
  ending: CallEnding,
): Promise<Call | null> {
  const { trigger, end_reason, detail, check, layer } = ending;
  const request_id = deps.ids.next();
  const set = {
    end_reason,
    ended_at: deps.clock.now(),
    duration_seconds: ending.duration_seconds ?? null,
    lease_until: null,
    ...no_media_token,
    hold: null,
    ...resultAtEnd(request_id),
    ...ending.set,
  };
  const note = {
    end_reason,
    ...(detail === null ? {} : { detail }),
    ...(check === undefined ? {} : { check }),
    ...(layer === undefined ? {} : { layer }),
  };
  const moved = await moveCall(deps, tx, call, { trigger, set, detail: note });
  if (!moved) return null;
  if (moved.result_status === 'pending') await enqueueResult(deps.enqueue, tx, { ...call, request_id });
  if (moved.transfer && isOpenTransfer(moved.transfer.status))
    await deps.transfers.callEnded(tx, call, moved.transfer, end_reason);
  await deps.pool.releasePoolNumber(tx, call.id);
  // Every started minute counts; none when the call was not answered.
  const { duration_seconds, started_at } = moved;
  if (trigger === 'canceled' && started_at === null)
    await deps.budgets.giveBack(await deps.store.counted(call, tx), tx);
  await settle(deps, tx, call, duration_seconds === null ? 0 : minutesOf(duration_seconds));
  tx.afterCommit(() => {
    deps.countOutcome('call', moved.direction, moved.status, moved.end_reason);
    deps.ended(call);
  });
  return moved;
}
