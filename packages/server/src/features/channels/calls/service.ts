// The operations of calls: create, read, wait for the end, hang up, transcript, timeline, recording, statistics.
import {
  type Call,
  type CallStatistics,
  callLifecycle,
  isFinalCall,
} from '@parley/contract/channels/calls/call-records';
import type { CallResultCreate } from '@parley/contract/channels/calls/call-results';
import type { CallCreate } from '@parley/contract/channels/calls/calls';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import { requireInConversation } from '../../../platform/http/conversation-scope.ts';
import type { Waiters } from '../../../platform/http/waiters.ts';
import { type Bucket, statisticsRange, statusSeries } from '../../../platform/status-series.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { GuardedCarriers, WithdrawApproval } from '../../rules/admission/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import { callerNumbers } from './caller-number.ts';
import { type CreateCallContext, type CreateCallDeps, createCall } from './create-call.ts';
import type { CallDispatcher } from './dispatch/dispatcher.ts';
import type { ProgressStore } from './dispatch/progress/progress-store.ts';
import { type ResultDeps, requestResult } from './results/settle-result.ts';
import type { CallFilter } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';
import { rescheduleCall, type WaitingCallDeps } from './waiting/waiting-calls.ts';

type ServiceDeps = Omit<CreateCallDeps, 'caller_numbers'> &
  WaitingCallDeps & {
    withdrawApproval: WithdrawApproval | null;
    progress_store: ProgressStore;
    timeline: TimelineStore;
    dispatcher: Pick<CallDispatcher, 'hangUp'>;
    waiters: Waiters;
    carriers: GuardedCarriers;
    numbers: Pick<NumbersFeature, 'voiceNumber' | 'oldestVoiceNumbers'>;
    storage: ObjectStorage;
    result_deps: ResultDeps;
  };

/** A running conversation ends within a moment, so a cancel request waits for it and returns the ended call. */
const hang_up_timeout_ms = 10_000;

export function callService(deps: ServiceDeps) {
  const { store, timeline } = deps;
  const create_deps = { ...deps, caller_numbers: callerNumbers(deps) };
  return {
    create: (context: CreateCallContext, request: CallCreate) => createCall(create_deps, context, request),

    async reschedule(organization_id: string, id: string, scheduled_at: string): Promise<Call> {
      const is_moved = await rescheduleCall(deps, { organization_id, id }, scheduled_at);
      const call = await requireCall(deps, organization_id, id);
      if (!is_moved) throw new ApiError('already_handed_over');
      return call;
    },

    list: (organization_id: string, page: PageRequest & CallFilter) => store.list(organization_id, page),

    stats: (organization_id: string, query: { days: number; bucket: Bucket }) =>
      statistics(deps, organization_id, query),

    async get(
      context: Pick<Context, 'caller' | 'organization_id' | 'onClose'>,
      id: string,
      {
        wait_seconds,
        wait_for = 'end',
      }: { wait_seconds?: number | undefined; wait_for?: WaitFor | undefined },
    ): Promise<Call> {
      const { organization_id } = context;
      const call = requireInConversation(context, await requireCall(deps, organization_id, id));
      if (wait_seconds === undefined || isSettled(call, wait_for)) return call;
      return untilSettled(deps, organization_id, id, { wait_for, timeout_ms: wait_seconds * 1000 }, context);
    },

    result: (organization_id: string, id: string, request: CallResultCreate) =>
      requestResult(deps.result_deps, organization_id, id, request),

    cancel: (organization_id: string, id: string, context: Pick<Context, 'onClose'>) =>
      cancelCall(deps, organization_id, id, context),

    async transcript(context: Pick<Context, 'caller' | 'organization_id'>, id: string) {
      const { organization_id } = context;
      const { status } = requireInConversation(context, await requireCall(deps, organization_id, id));
      const turns = await timeline.turns(organization_id, id);
      return { call_id: id, is_final: isFinalCall(status), turns };
    },

    async events(organization_id: string, id: string, page: PageRequest) {
      await requireCall(deps, organization_id, id);
      return timeline.list(organization_id, id, page);
    },

    async recording(organization_id: string, id: string): Promise<{ location: string }> {
      const key = await store.recordingKey(organization_id, id);
      if (key === undefined) throw new ApiError('not_found');
      if (key === null) throw new ApiError('recording_not_found');
      const location = await deps.storage.link(key, { filename: `${id}.wav`, content_type: 'audio/wav' });
      return { location };
    },
  };
}
export type CallService = ReturnType<typeof callService>;

async function requireCall({ store }: ServiceDeps, organization_id: string, id: string): Promise<Call> {
  const call = await store.find(organization_id, id);
  if (!call) throw new ApiError('not_found');
  return call;
}

type WaitFor = 'end' | 'result';
const isSettled = ({ status, result_status }: Call, wait_for: WaitFor): boolean =>
  isFinalCall(status) && (wait_for === 'end' || result_status !== 'pending');

/** The ended call, or the call as it is when the time is over. */
async function untilSettled(
  deps: ServiceDeps,
  organization_id: string,
  id: string,
  { wait_for, timeout_ms }: { wait_for: WaitFor; timeout_ms: number },
  { onClose }: Pick<Context, 'onClose'>,
): Promise<Call> {
  const findEnded = async () => {
    const call = await deps.store.find(organization_id, id);
    return call && isSettled(call, wait_for) ? call : null;
  };
  const ended = await deps.waiters.until(organization_id, findEnded, { timeout_ms, onClose });
  return ended ?? requireCall(deps, organization_id, id);
}

/** Cancels a call that was not answered yet, or hangs up an answered one. */
async function cancelCall(
  deps: ServiceDeps,
  organization_id: string,
  id: string,
  context: Pick<Context, 'onClose'>,
): Promise<Call> {
  const call = { organization_id, id };
  const canceled = await deps.db.transaction(async (tx) => {
    const approval_id = (await deps.waiting_store.lock(tx, call))?.hold.approval_id ?? null;
    if (approval_id !== null) await deps.withdrawApproval?.(tx, { organization_id, approval_id });
    return deps.progress.end(tx, call, { trigger: 'canceled', end_reason: 'canceled', detail: null });
  });
  if (canceled) {
    deps.dispatcher.hangUp(id, 'api_hangup');
    hangUpAtCarrier(deps, canceled);
    return canceled;
  }
  if (!(await deps.progress_store.requestHangUp(call, deps.clock.now()))) {
    await requireCall(deps, organization_id, id);
    throw new ApiError('call_already_ended');
  }
  await deps.progress.note(call, 'hang_up_requested');
  deps.dispatcher.hangUp(id, 'api_hangup');
  const wait = { wait_for: 'end', timeout_ms: hang_up_timeout_ms } as const;
  return untilSettled(deps, organization_id, id, wait, context);
}

/** Another process may run the call, and it may crash before it hangs up. */
function hangUpAtCarrier({ carriers }: ServiceDeps, { provider, provider_call_id }: Call): void {
  if (provider === null || provider_call_id === null) return;
  carriers
    .byName(provider)
    ?.voice?.hangUp(provider_call_id)
    .catch(() => {});
}

async function statistics(
  deps: ServiceDeps,
  organization_id: string,
  query: { days: number; bucket: Bucket },
): Promise<CallStatistics> {
  const to = deps.clock.now();
  const range = { from: statisticsRange(to, query), to, bucket: query.bucket };
  const rows = await deps.store.countByStatus(organization_id, range);
  return {
    ...statusSeries(callLifecycle.states, range, rows),
    duration_seconds: rows.reduce((sum, row) => sum + row.duration_seconds, 0),
  };
}
