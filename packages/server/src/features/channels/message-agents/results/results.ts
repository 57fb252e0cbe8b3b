// The result of a conversation by text or email: requested when the agent finishes it, and made by a job as after a call.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../../../platform/jobs.ts';
import type { Log } from '../../../../platform/log.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { Llm } from '../../../../providers/llm/llm.ts';
import { realTimeClock } from '../../../../providers/media/media-clock.ts';
import type { AgentService, AnswerRequest } from '../../../agents/agents/index.ts';
import {
  dateIn,
  makeReport,
  type ReportInput,
  type ReportOutcome,
  report_attempts,
  report_lease_seconds,
  reportColumns,
  toolLines,
} from '../../../agents/results/index.ts';
import type { ReplyChannel } from '../channels/channel.ts';
import type { Task } from '../guards.ts';
import { newResult, type ResultRef, type ResultStore } from './result-store.ts';

export type ResultDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  unitOfWork: UnitOfWork;
  jobs: Pick<Jobs, 'enqueue'>;
  agents: Pick<AgentService, 'find'>;
  channels: Record<AnswerRequest['channel'], ReplyChannel>;
  results: ResultStore;
  /** The model that reports; null where there is none to use. */
  reporterFor(task: Task): Promise<Llm | null>;
};

const result_job = 'settle_conversation_result';
/** The last words of the agent are sent after its tools ran, and belong to the conversation. */
const last_words_ms = 5000;
const max_messages = 100;
/** After every message of the thread. */
const last_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** In the transaction that closes the conversation. Does nothing when the agent wants neither data nor a summary. */
export async function requestResult(
  { unitOfWork, jobs, ids, clock }: ResultDeps,
  tx: Transaction,
  { agent, received }: Task,
  conversation_id: string,
): Promise<void> {
  if (!agent.result_schema && !agent.summarize) return;
  const { organization_id, channel, own } = received;
  const id = ids.next();
  const row = { organization_id, id, conversation_id, agent_id: agent.id, channel, own };
  await unitOfWork.commitIn(tx, [
    {
      record: newResult({
        ...row,
        message_id: received.id,
        status: 'pending',
        requested_at: clock.now().toISOString(),
      }),
    },
  ]);
  await jobs.enqueue(tx, {
    kind: result_job,
    payload: { organization_id, id },
    run_at: new Date(clock.ms() + last_words_ms),
    unique_key: `${result_job}:${id}`,
  });
}

export const resultJob = (deps: ResultDeps): JobHandler => ({
  kind: result_job,
  max_attempts: report_attempts,
  lease_seconds: report_lease_seconds,
  lane: 'agents',
  run: (job, signal) => settleResult(deps, job, signal),
});

async function settleResult(deps: ResultDeps, job: Job, signal: AbortSignal): Promise<void> {
  const ref = job.payload as ResultRef;
  const { organization_id } = ref;
  const row = await deps.results.pending(ref);
  if (!row) return;
  const settled_at = deps.clock.now();
  const channel = deps.channels[row.channel];
  const [received, agent] = await Promise.all([
    channel.find(organization_id, row.message_id, row.own),
    deps.agents.find(organization_id, row.agent_id),
  ]);
  if (!received || !agent) {
    await deps.db.transaction((tx) => deps.results.settle(tx, ref, 'passed_over', { settled_at }));
    return;
  }
  const task: Task = { channel, received, agent, thread: null };
  const llm = await deps.reporterFor(task);
  const outcome: ReportOutcome = llm
    ? await makeReport(
        { clock: realTimeClock() },
        llm,
        await reportInput(deps, task, row.requested_at),
        signal,
      )
    : { outcome: 'failed', error: 'llm_unavailable', report: null, is_retryable: true };
  if (outcome.outcome === 'failed' && outcome.is_retryable && job.attempts + 1 < report_attempts)
    throw new Error(`The result of the conversation could not be made: ${outcome.error}`);
  if (outcome.outcome === 'failed')
    deps.log.warn(
      { result_id: ref.id, error: outcome.error },
      'the result of a conversation could not be made',
    );
  const set = {
    ...reportColumns(outcome.report),
    result_error: outcome.outcome === 'failed' ? outcome.error : null,
    result_engine: llm?.name ?? null,
    settled_at,
  };
  const trigger = outcome.outcome === 'ready' ? 'settled' : 'gave_up';
  await deps.db.transaction((tx) => deps.results.settle(tx, ref, trigger, set));
}

/** What a model needs to report about a thread of messages. */
export async function reportInput(
  { results }: Pick<ResultDeps, 'results'>,
  { agent, received, channel }: Task,
  at: Date,
): Promise<ReportInput> {
  const { organization_id, thread_id } = received;
  const [turns, tools] = await Promise.all([
    channel.turns({ ...received, id: last_id }, { ...agent.messaging, history_messages: max_messages }),
    results.toolsUsed(organization_id, thread_id),
  ]);
  return {
    result_schema: agent.result_schema,
    success_criteria: agent.success_criteria,
    summarize: agent.summarize,
    system_prompt: agent.system_prompt ?? '',
    language: agent.language,
    model: agent.llm_model,
    date: dateIn(agent.timezone, at),
    end_reason: null,
    turns: turns.map(({ role, content }) => ({
      speaker: role === 'assistant' ? 'agent' : 'person',
      text: content,
    })),
    tools_used: toolLines(tools),
  };
}
