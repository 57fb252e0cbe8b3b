// The job that makes the result of a call after its end, and the request to make it again.
import { type Call, isFinalCall } from '@parley/contract/channels/calls/call-records';
import type { CallResultCreate, CallResultError } from '@parley/contract/channels/calls/call-results';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../../../platform/jobs.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Llm } from '../../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import {
  dateIn,
  makeReport,
  type ReportInput,
  type ReportOutcome,
  report_attempts,
  report_lease_seconds,
  reportColumns,
  toolLines,
  type Wanted,
} from '../../../agents/results/index.ts';
import type { CallStore } from '../store.ts';
import type { ResultRef, ResultSource, ResultStore } from './result-store.ts';

export type ResultDeps = {
  db: Database;
  store: Pick<CallStore, 'find'>;
  results: ResultStore;
  /** The model that reports about this call. */
  modelOf(call: ResultSource): Promise<Llm>;
  enqueue: Jobs['enqueue'];
  /** After the commit: a job is due. */
  wakeJobs(): void;
  /** After the commit that settled a result. */
  settled(organization_id: string): void;
  media_clock: Pick<MediaClock, 'after'>;
  clock: Clock;
  ids: Ids;
  log: Log;
};

const result_job = 'settle_result';

/** Enqueues the job in the transaction that ends the call or requests another result. */
export const enqueueResult = (enqueue: Jobs['enqueue'], tx: Transaction, ref: ResultRef): Promise<void> =>
  enqueue(tx, {
    kind: result_job,
    payload: { organization_id: ref.organization_id, call_id: ref.id, request_id: ref.request_id },
    unique_key: `${result_job}:${ref.request_id}`,
  });

export const resultJob = (deps: ResultDeps): JobHandler => ({
  kind: result_job,
  max_attempts: report_attempts,
  // A model must not delay the short jobs of the shared lane.
  lease_seconds: report_lease_seconds,
  lane: 'agents',
  run: (job, signal) => settleResult(deps, job, signal),
});

async function settleResult(deps: ResultDeps, job: Job, signal: AbortSignal): Promise<void> {
  const { organization_id, call_id, request_id } = job.payload as Record<string, string>;
  const ref: ResultRef = { organization_id: organization_id!, id: call_id!, request_id: request_id! };
  const call = await deps.results.source(ref);
  if (!call) return;
  const wanted = wantedOf(call);
  const has_person = call.turns.some(({ speaker }) => speaker === 'person');
  if (call.answered_at === null || !has_person || !(wanted.result_schema || wanted.summarize)) {
    await inTransaction(deps, ref, (tx) => deps.results.passOver(tx, ref));
    return;
  }
  const llm = await deps.modelOf(call).catch(() => null);
  const outcome: ReportOutcome = llm
    ? await makeReport({ clock: deps.media_clock }, llm, inputOf(call, wanted), signal)
    : { outcome: 'failed', error: 'llm_unavailable', report: null, is_retryable: true };
  if (outcome.outcome === 'failed' && outcome.is_retryable && job.attempts + 1 < report_attempts) {
    throw new Error(`The result of the call could not be made: ${outcome.error}`);
  }
  await storeOutcome(deps, ref, outcome, llm?.name ?? null);
}

async function storeOutcome(
  deps: ResultDeps,
  ref: ResultRef,
  outcome: ReportOutcome,
  result_engine: string | null,
): Promise<void> {
  const { results, log } = deps;
  const result_settled_at = deps.clock.now();
  if (outcome.outcome === 'ready') {
    const set = { ...reportColumns(outcome.report), result_error: null, result_engine, result_settled_at };
    await inTransaction(deps, ref, (tx) => results.settle(tx, ref, set));
    return;
  }
  log.warn({ call_id: ref.id, error: outcome.error }, 'the result of a call could not be made');
  const set = {
    ...reportColumns(outcome.report),
    result_error: outcome.error satisfies CallResultError,
    result_engine,
    result_settled_at,
  };
  await inTransaction(deps, ref, (tx) => results.giveUp(tx, ref, set));
}

const inTransaction = (
  { db, settled }: ResultDeps,
  { organization_id }: ResultRef,
  run: (tx: Transaction) => Promise<unknown>,
): Promise<void> =>
  db.transaction(async (tx) => {
    await run(tx);
    tx.afterCommit(() => settled(organization_id));
  });

/** Fields of a later request take precedence over the plan of the call. */
function wantedOf({ plan, request }: ResultSource): Wanted {
  return {
    result_schema: request?.result_schema ?? plan.result_schema,
    success_criteria: request?.success_criteria ?? plan.success_criteria,
    summarize: request?.summarize ?? plan.summarize,
  };
}

function inputOf(call: ResultSource, wanted: Wanted): ReportInput {
  const { plan, turns, end_reason, requested_at } = call;
  return {
    ...wanted,
    system_prompt: plan.system_prompt,
    language: plan.language,
    model: plan.model,
    date: dateIn(plan.timezone, requested_at),
    end_reason,
    turns,
    tools_used: toolLines(call.tool_calls),
  };
}

/** Makes the result of an ended call again, also with another schema. */
export async function requestResult(
  deps: ResultDeps,
  organization_id: string,
  id: string,
  request: CallResultCreate,
): Promise<Call> {
  const call = await deps.store.find(organization_id, id);
  if (!call) throw new ApiError('not_found');
  if (!isFinalCall(call.status)) throw new ApiError('call_not_ended');
  const ref: ResultRef = { organization_id, id, request_id: deps.ids.next() };
  const requested = await deps.db.transaction(async (tx) => {
    const moved = await deps.results.request(tx, ref, request);
    if (moved) await enqueueResult(deps.enqueue, tx, ref);
    return moved;
  });
  if (!requested) throw new ApiError('result_pending');
  deps.wakeJobs();
  return requested;
}
