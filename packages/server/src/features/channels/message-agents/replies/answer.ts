// The job that answers a received message: one for each thread, due some time after the last message.
import type { Agent } from '@parley/contract/agents/agents';
import { replySilences } from '@parley/contract/inbox/reply-silences';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../../../platform/jobs.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import type { Llm } from '../../../../providers/llm/llm.ts';
import type { AgentService, AnswerRequest } from '../../../agents/agents/index.ts';
import { foreignHosts, type ReplyState, resumeJob } from '../../../agents/runtime/index.ts';
import type { AgentControl } from '../../../inbox/conversations/index.ts';
import type { Stopped } from '../../../rules/admission/index.ts';
import { Outdated, type ReplyChannel, type SendResult, type Silence, silence } from '../channels/channel.ts';
import { firstSilence, type GuardDeps, stateSilence, type Task } from '../guards.ts';
import { minutesUntilOpen } from '../quiet-hours.ts';
import { type ComposeDeps, disclosesNow, hashOf, writeAnswer } from './compose.ts';
import { approvalNeed } from './reply-approval.ts';

export const answer_job = 'answer_message';
export const max_attempts = 4;
export const lease_seconds = 180;
/** An answer that was deferred for this long is not sent any more. */
const give_up_seconds = 15 * 60;

export type AnswerDeps = GuardDeps &
  ComposeDeps & {
    ids: Ids;
    log: Log;
    jobs: Pick<Jobs, 'enqueue' | 'isCurrent'>;
    agents: Pick<AgentService, 'find'>;
    control: AgentControl;
    channels: Record<AnswerRequest['channel'], ReplyChannel>;
    /** Brings conversations up to date. */
    project(): Promise<void>;
    tracing: Tracing | null;
    /** The model of the agent's engine, or of the organization, or the sandbox's own; null where there is none to use. */
    modelFor(task: Task): Promise<Llm | null>;
  };

export type Run = Task & {
  job: Job;
  request: AnswerRequest;
  /** Set when the answer waited for approvals of tool calls. */
  resume: ReplyState | null;
};

export const answerJob = (deps: AnswerDeps): JobHandler => ({
  kind: answer_job,
  lane: 'agents',
  lease_seconds,
  max_attempts,
  run: (job, signal) => answer(deps, job, signal),
});

/** An email that was released is older than others of its thread: it must not take the place of a newer one. */
export const uniqueKey = ({ organization_id, thread_id, message_id, is_released }: AnswerRequest) =>
  `${answer_job}:${organization_id}:${thread_id}${is_released ? `:${message_id}` : ''}`;

async function answer(deps: AnswerDeps, job: Job, signal: AbortSignal): Promise<void> {
  const run = await readRun(deps, job, job.payload as AnswerRequest);
  if (!run) return;
  // The job that continues a waiting answer has the rest.
  const { organization_id, id } = run.received;
  if (await deps.runtime.suspended(organization_id, id)) return;
  await answerRun(deps, run, signal);
}

export async function answerRun(deps: AnswerDeps, run: Run, signal: AbortSignal): Promise<void> {
  if (await deps.replies.isAnswered(run.received)) return;
  const silent = (why: Silence) => staySilent(deps, run, why);
  const why = await firstSilence(deps, run);
  if (why) return silent(why);
  const { agent, received, channel } = run;
  const closed_minutes = minutesUntilOpen(agent.messaging.quiet_hours, agent.timezone, deps.clock.now());
  if (closed_minutes > 0) return runLater(deps, run, closed_minutes * 60);
  // Before the model is called, so that no tokens are spent on an answer that may not be sent.
  const trial = await channel.trial(received, agent.id);
  if (trial.outcome !== 'allow') return stopped(deps, run, trial);
  const model = await deps.modelFor(run);
  if (!model)
    return silent(
      silence(
        'llm_not_configured',
        'There is no language model to answer with. Set an LLM provider with PUT /v1/providers/llm.',
      ),
    );
  await tracedAnswer(deps, run, async () => {
    const text = await compose(deps, run, model, signal);
    if (text !== null) await deliver(deps, run, text);
    return text === null ? 'nothing' : 'answered';
  });
}

async function tracedAnswer(
  { tracing }: Pick<AnswerDeps, 'tracing'>,
  { agent, received }: Run,
  answer: () => Promise<string>,
): Promise<void> {
  if (!tracing) return void (await answer());
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': agent.id,
    'gen_ai.conversation.id': received.thread_id,
    'parley.channel': received.channel,
    'parley.id': received.id,
  };
  // The name of an agent is not part of it: organizations name agents after people.
  await tracing.span('invoke_agent', { attributes }, async (span) => {
    span.set({ 'parley.outcome': await answer() });
  });
}

export async function readRun(deps: AnswerDeps, job: Job, request: AnswerRequest): Promise<Run | null> {
  const { organization_id, message_id, thread_id, own } = request;
  const channel = deps.channels[request.channel];
  const [received, found] = await Promise.all([
    channel.find(organization_id, message_id, own),
    deps.control.find(organization_id, thread_id),
  ]);
  if (!received) return null;
  let thread = found;
  if (!thread) {
    await deps.project();
    thread = await deps.control.find(organization_id, thread_id);
  }
  // Who assigns an agent to the conversation wants this one to answer.
  const agent_id = thread?.assignee_kind === 'agent' ? thread.assignee_id! : request.agent_id;
  const agent = await deps.agents.find(organization_id, agent_id);
  return agent && { channel, received, agent, thread, job, request, resume: null };
}

/** Null when nothing is to be sent; the reason was published. */
async function compose(deps: AnswerDeps, run: Run, model: Llm, signal: AbortSignal): Promise<string | null> {
  try {
    const { text, ended_by, is_suspended } = await writeAnswer(deps, model, run, signal);
    if (is_suspended || ended_by === 'hand_to_human' || ended_by === 'do_not_contact') return null;
    const hosts = foreignHosts(text, run.agent.messaging.link_hosts);
    if (hosts.length > 0) await staySilent(deps, run, linkSilence(hosts));
    else if (text !== '') return text;
    else if (ended_by === null)
      await staySilent(deps, run, silence('agent_declined', 'The language model wrote no answer.'));
    return null;
  } catch (error) {
    if (signal.aborted || run.job.attempts + 1 < max_attempts) throw error;
    return modelFailed(deps, run, error);
  }
}

const linkSilence = (hosts: readonly string[]): Silence =>
  silence(
    'link_not_allowed',
    `The answer has a link to ${hosts.slice(0, 5).join(', ')}. Add the host to messaging.link_hosts of the agent to allow it.`,
  );

async function modelFailed(deps: AnswerDeps, run: Run, error: unknown): Promise<string | null> {
  const { agent, received, thread } = run;
  const { organization_id, id: message_id, channel } = received;
  const fallback = agent.messaging.fallback_message;
  const detail = `The language model failed ${max_attempts} times.`;
  deps.log.warn({ message_id, agent_id: agent.id, err: error }, 'language model failed to answer a message');
  const id = thread?.conversation_id ?? received.thread_id;
  const data = { id, channel, message_id, agent_id: agent.id, detail, has_fallback: fallback !== null };
  await deps.unitOfWork.commit({
    events: [{ organization_id, type: 'conversation.agent_failed', resource_id: id, data }],
  });
  if (fallback === null) await staySilent(deps, run, silence('llm_failed', detail));
  return fallback;
}

async function deliver(deps: AnswerDeps, run: Run, text: string): Promise<void> {
  const { agent, received, channel } = run;
  const [last, sent] = await Promise.all([deps.replies.last(received), deps.replies.sentTo(received)]);
  const body_hash = hashOf(text);
  if (last?.body_hash === body_hash)
    return staySilent(deps, run, silence('repeated_message', 'The agent wrote the same answer before.'));
  try {
    const result = await channel.send(received, {
      agent,
      text,
      discloses: disclosesNow(agent, received, !sent.in_thread),
      needs_approval: approvalNeed(run, sent.to_person),
      async commit(tx, reply_id) {
        await checkCurrent(deps, run, tx);
        if (!(await deps.replies.add(tx, received, { reply_id, agent_id: agent.id, body_hash })))
          throw new Outdated('answered before');
      },
    });
    await settle(deps, run, result);
  } catch (error) {
    if (error instanceof Outdated) return outdated(deps, run, error);
    // The cap or the balance was used up while the model was running.
    if (!(error instanceof ApiError)) throw error;
    await refused(deps, run, error);
  }
}

/** Nothing may have changed since the model began: no newer message, no pause, no person who wrote. */
async function checkCurrent(deps: AnswerDeps, { job, received }: Run, tx: Transaction): Promise<void> {
  if (!(await deps.jobs.isCurrent(tx, job))) throw new Outdated('a newer message or another run');
  const thread = await deps.control.lock(tx, received.organization_id, received.thread_id);
  if (stateSilence(deps, thread)) throw new Outdated('a person took over or paused the agent');
  if (await deps.replies.wasAnsweredByHand(tx, received)) throw new Outdated('a person answered');
}

function outdated({ log }: AnswerDeps, { received, agent }: Run, { message }: Outdated): void {
  log.info(
    { message_id: received.id, agent_id: agent.id, reason: message },
    'answer of an agent is outdated',
  );
}

async function settle(deps: AnswerDeps, run: Run, result: SendResult): Promise<void> {
  if ('reason' in result) return staySilent(deps, run, result);
  if (result.outcome === 'stopped') await stopped(deps, run, result.stopped);
}

/** Defers the answer while the kill switch is on, until the answer is outdated. */
function stopped(deps: AnswerDeps, run: Run, why: Stopped): Promise<void> {
  const waited_seconds = (deps.clock.ms() - Date.parse(run.request.received_at)) / 1000;
  if (why.outcome === 'refuse' || waited_seconds > give_up_seconds) return refused(deps, run, why.error);
  return runLater(deps, run, why.retry_after_seconds);
}

const runLater = (deps: AnswerDeps, { request, resume }: Run, seconds: number): Promise<void> =>
  deps.jobs.enqueue(deps.db, {
    ...(resume
      ? resumeJob(request)
      : { kind: answer_job, payload: request, unique_key: uniqueKey(request), replace: true }),
    run_at: new Date(deps.clock.ms() + seconds * 1000),
  });

/** Rules without a reason of their own share one, and the detail names the rule. */
function refused(deps: AnswerDeps, run: Run, error: ApiError): Promise<void> {
  const reason = replySilences.find((each) => each === error.code);
  return staySilent(
    deps,
    run,
    reason ? silence(reason, error.message) : silence('not_allowed', `${error.code}: ${error.message}`),
  );
}

async function staySilent(
  deps: AnswerDeps,
  { received, agent, channel }: Pick<Run, 'received' | 'channel'> & { agent: Pick<Agent, 'id'> },
  why: Silence,
): Promise<void> {
  const { id: message_id } = received;
  deps.log.info({ message_id, agent_id: agent.id, reason: why.reason }, 'agent does not answer a message');
  await deps.unitOfWork.commit({ events: [channel.silentEvent(received, agent.id, why)] });
}
