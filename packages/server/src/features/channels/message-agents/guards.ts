// The rules that keep an agent from answering: the state of the conversation, limits, and its own pause.
import type { Agent } from '@parley/contract/agents/agents';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { AgentControl, ThreadControl } from '../../inbox/conversations/index.ts';
import { type Received, type ReplyChannel, type Silence, silence } from './channels/channel.ts';
import type { ReplyStore } from './replies/reply-store.ts';

export type GuardDeps = {
  db: Database;
  clock: Clock;
  unitOfWork: UnitOfWork;
  replies: ReplyStore;
  control: Pick<AgentControl, 'stateOf'>;
};

export type Task = {
  channel: ReplyChannel;
  received: Received;
  agent: Agent;
  /** Null while the thread is in no conversation. */
  thread: ThreadControl | null;
};

/** An agent that reaches this number of answers within an hour is paused: something repeats what people do not. */
const answers_per_hour = 120;
const pause_ms = 3_600_000;

/** In this order; the first one that says no decides. */
export async function firstSilence(deps: GuardDeps, task: Task): Promise<Silence | null> {
  return (
    stateSilence(deps, task.thread) ??
    (await task.channel.refusal(task.received)) ??
    (await capSilence(deps, task)) ??
    (await breakerSilence(deps, task))
  );
}

export function stateSilence(
  { control }: Pick<GuardDeps, 'control'>,
  thread: ThreadControl | null,
): Silence | null {
  const state = thread ? control.stateOf(thread) : 'agent';
  if (state === 'human')
    return silence(
      'with_human',
      'A person answers in this conversation. POST …/release gives it back to the agent.',
    );
  if (state === 'paused')
    return silence('paused', `The agent is paused in this conversation until ${thread!.agent_paused_until}.`);
  return null;
}

async function capSilence(
  { replies }: GuardDeps,
  { channel, received, agent }: Task,
): Promise<Silence | null> {
  const { thread_per_day, person_per_day } = channel.caps(agent.messaging);
  const { thread, thread_hour, person } = await replies.countToday(received);
  if (thread_hour >= agent.messaging.replies_per_hour)
    return silence(
      'reply_limit',
      `The agent answered ${thread_hour} times in this conversation within an hour.`,
    );
  if (thread >= thread_per_day)
    return silence('reply_limit', `The agent answered ${thread} times in this conversation within a day.`);
  if (person_per_day !== null && person >= person_per_day)
    return silence('reply_limit', `${received.person} got ${person} answers of agents within a day.`);
  return null;
}

async function breakerSilence(deps: GuardDeps, { received, agent }: Task): Promise<Silence | null> {
  const { organization_id } = received;
  // A pause that another process began since the agent was read is found by the count.
  if (agent.paused_until)
    return silence('agent_paused', `The agent wrote too much and is paused until ${agent.paused_until}.`);
  const written = await deps.replies.countOfAgent(organization_id, agent.id);
  if (written < answers_per_hour) return null;
  const detail = `The agent wrote ${written} answers within an hour.`;
  await pauseAgent(deps, agent, detail);
  return silence('agent_paused', `${detail} It is paused for an hour.`);
}

const pauseAgent = (deps: GuardDeps, { organization_id, id }: Agent, reason: string): Promise<void> =>
  deps.db.transaction(async (tx) => {
    const until = new Date(deps.clock.ms() + pause_ms);
    if (!(await deps.replies.pauseAgent(tx, organization_id, id, { until, reason }))) return;
    const data = { id, reason, paused_until: until.toISOString() };
    await deps.unitOfWork.commitIn(tx, [
      { events: [{ organization_id, type: 'agent.paused', resource_id: id, data }] },
    ]);
  });
