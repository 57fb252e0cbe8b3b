// Tells a destination of the agent by email that a conversation waits for a person, when none answered in time.
import type { Agent } from '@parley/contract/agents/agents';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type Idempotency, isKeyTaken } from '../../../../platform/idempotency.ts';
import type { Job, JobHandler } from '../../../../platform/jobs.ts';
import { realTimeClock } from '../../../../providers/media/media-clock.ts';
import { makeReport } from '../../../agents/results/index.ts';
import { foreignHosts, type MessageSender } from '../../../agents/runtime/index.ts';
import type { AgentControl } from '../../../inbox/conversations/index.ts';
import type { Task } from '../guards.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import { type ResultDeps, reportInput } from '../results/results.ts';

export type HandOverDeps = ResultDeps & {
  control: AgentControl;
  replies: ReplyStore;
  sendEmail: MessageSender['sendEmail'];
  idempotency: Pick<Idempotency, 'request' | 'replay'>;
  /** Where a member reads the conversation. */
  conversationUrl(id: string): string;
};

type Notice = {
  organization_id: string;
  channel: 'sms' | 'email';
  message_id: string;
  own: string;
  agent_id: string;
  reason: string;
  handed_over_at: string;
};

const notice_job = 'notify_hand_over';
const wait_minutes = 15;

/** In the transaction that gives the conversation to a person. */
export async function requestNotice(
  { jobs, clock }: Pick<HandOverDeps, 'jobs' | 'clock'>,
  tx: Transaction,
  { agent, received }: Task,
  reason: string,
): Promise<void> {
  if (agent.messaging.hand_over_to === null) return;
  const { organization_id, channel, id: message_id, own, thread_id } = received;
  const handed_over_at = clock.now().toISOString();
  const payload: Notice = {
    organization_id,
    channel,
    message_id,
    own,
    agent_id: agent.id,
    reason,
    handed_over_at,
  };
  await jobs.enqueue(tx, {
    kind: notice_job,
    payload,
    run_at: new Date(clock.ms() + wait_minutes * 60_000),
    unique_key: `${notice_job}:${organization_id}:${thread_id}`,
    replace: true,
  });
}

export const noticeJob = (deps: HandOverDeps): JobHandler => ({
  kind: notice_job,
  lane: 'agents',
  lease_seconds: 90,
  run: (job, signal) => notify(deps, job, signal),
});

async function notify(deps: HandOverDeps, job: Job, signal: AbortSignal): Promise<void> {
  const notice = job.payload as Notice;
  const task = await waitingTask(deps, notice);
  const destination = task && destinationOf(task.agent);
  if (!task || !destination) return;
  const { organization_id, agent_id } = notice;
  const id = task.thread!.conversation_id;
  const sent = await send(deps, notice, task, destination.email, await summaryOf(deps, task, notice, signal));
  await deps.db.transaction(async (tx) => {
    // A run that was killed after this commit left the job: it is not reported twice.
    if (!(await deps.replies.noteNotified(tx, organization_id, id, new Date(notice.handed_over_at)))) return;
    const data = { id, agent_id, destination: destination.name, ...sent };
    await deps.unitOfWork.commitIn(tx, [
      { events: [{ organization_id, type: 'conversation.hand_over_notified', resource_id: id, data }] },
    ]);
  });
}

/** Null when a person answered or closed it, or it was given back to the agent. */
async function waitingTask(
  deps: HandOverDeps,
  { organization_id, channel: name, message_id, own, agent_id }: Notice,
): Promise<Task | null> {
  const channel = deps.channels[name];
  const [received, agent] = await Promise.all([
    channel.find(organization_id, message_id, own),
    deps.agents.find(organization_id, agent_id),
  ]);
  if (!received || !agent) return null;
  const thread = await deps.control.find(organization_id, received.thread_id);
  if (!thread || thread.inbox_state === 'closed' || deps.control.stateOf(thread) !== 'human') return null;
  if (await deps.replies.wasAnsweredByHand(deps.db, received)) return null;
  return { channel, received, agent, thread };
}

function destinationOf({ destinations, messaging }: Agent): { name: string; email: string } | null {
  const found = destinations.find(({ name }) => name === messaging.hand_over_to);
  return found?.email ? { name: found.name, email: found.email } : null;
}

/** Null when no model can write one. Its words come from a stranger, so the rule for links applies to it. */
async function summaryOf(
  deps: HandOverDeps,
  task: Task,
  { handed_over_at }: Notice,
  signal: AbortSignal,
): Promise<string | null> {
  const llm = await deps.reporterFor(task);
  if (!llm) return null;
  const input = await reportInput(deps, task, new Date(handed_over_at));
  const wanted = { ...input, result_schema: null, success_criteria: null, summarize: true };
  const { report } = await makeReport({ clock: realTimeClock() }, llm, wanted, signal);
  return report?.summary ?? null;
}

async function send(
  deps: HandOverDeps,
  { organization_id, agent_id, message_id, reason }: Notice,
  { agent, received, thread }: Task,
  to: string,
  summary: string | null,
): Promise<{ email_id: string | null; detail: string | null }> {
  const name = thread!.contact_name;
  const who = name ? `${name} (${received.person})` : received.person;
  const shown = (text: string) =>
    foreignHosts(text, agent.messaging.link_hosts).length > 0
      ? '(left out, because it contains a link)'
      : text;
  const body = [
    `The agent ${agent.name} asked for a person ${wait_minutes} minutes ago, and none has answered.`,
    '',
    `With: ${who}, by ${received.channel === 'sms' ? 'text' : 'email'}`,
    `Reason: ${shown(reason)}`,
    ...(summary === null ? [] : ['', 'Summary:', shown(summary)]),
    '',
    deps.conversationUrl(thread!.conversation_id),
  ].join('\n');
  const operation = 'agents.hand_over';
  const key = deps.idempotency.request(message_id, { organization_id, operation, input: {} })!;
  try {
    const subject = `A conversation with ${name ?? received.person} waits for a person`.replaceAll(
      /\p{Cc}+/gu,
      ' ',
    );
    const metadata = { agent_id, conversation_id: thread!.conversation_id };
    const { id } = await deps.sendEmail({
      organization_id,
      agent_id,
      call_id: null,
      to,
      subject,
      body,
      metadata,
      idempotency: key,
    });
    return { email_id: id, detail: null };
  } catch (error) {
    // A run that was killed sent it.
    if (isKeyTaken(error)) return earlierEmail(deps, key);
    if (!(error instanceof ApiError)) throw error;
    return { email_id: null, detail: `${error.code}: ${error.message}` };
  }
}

async function earlierEmail(
  { idempotency }: HandOverDeps,
  key: NonNullable<ReturnType<Idempotency['request']>>,
): Promise<{ email_id: string | null; detail: string | null }> {
  const earlier = await idempotency.replay(key).catch((error) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
  const body = earlier && (earlier.body as { id?: string });
  return { email_id: body?.id ?? null, detail: null };
}
