// Agents that answer texts and emails: one set of rules for both channels.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { Llm } from '../../../providers/llm/llm.ts';
import { tracedLlm } from '../../../providers/traced-engines.ts';
import type { ActiveProvider, ProviderSettings } from '../../access/provider-settings/index.ts';
import type { AgentService, RequestAnswer } from '../../agents/agents/index.ts';
import type { AgentRuntime } from '../../agents/runtime/index.ts';
import type { AgentControl } from '../../inbox/conversations/index.ts';
import { type EmailChannelDeps, emailChannel } from './channels/email-channel.ts';
import { type SmsChannelDeps, smsChannel } from './channels/sms-channel.ts';
import type { Task } from './guards.ts';
import { type HandOverDeps, noticeJob, requestNotice } from './hand-over/hand-over.ts';
import { humanPauses } from './hand-over/human-pauses.ts';
import { historyStore } from './history-store.ts';
import { type AnswerDeps, answer_job, answerJob, uniqueKey } from './replies/answer.ts';
import { replyStore } from './replies/reply-store.ts';
import { resumeAnswerJob } from './replies/resume-answer.ts';
import { resultStore } from './results/result-store.ts';
import { requestResult, resultJob } from './results/results.ts';
import { type ConversationToolDeps, conversationTools } from './tools.ts';

export { messageSender } from './message-sender.ts';
export { messageAgentPersonalData } from './personal-data-store.ts';

export type MessageAgentDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  unitOfWork: UnitOfWork;
  jobs: Pick<Jobs, 'enqueue' | 'isCurrent' | 'wake'>;
  agents: Pick<AgentService, 'find'>;
  runtime: AnswerDeps['runtime'] & Pick<AgentRuntime, 'tools'>;
  providers: Pick<ProviderSettings, 'active' | 'named'>;
  openLlm(settings: ActiveProvider): Llm;
  /** Answers messages that no real person receives. */
  sandbox_llm: Llm;
  /** Reports about messages that no real person received. */
  offline_llm: Llm;
  move: Mover;
  control: AgentControl;
  project(): Promise<void>;
  tracing: Tracing | null;
} & Pick<HandOverDeps, 'sendEmail' | 'idempotency' | 'conversationUrl'> &
  Pick<EmailChannelDeps, 'emails'> &
  Omit<SmsChannelDeps, 'replies'>;

const default_delay_seconds = { sms: 3, email: 30 } as const;

export function messageAgents(deps: MessageAgentDeps) {
  const replies = replyStore(deps.db, deps.clock);
  const channels = { sms: smsChannel({ ...deps, replies }), email: emailChannel(deps) };
  const hand_over_deps: HandOverDeps = {
    ...deps,
    replies,
    channels,
    results: resultStore(deps.db, deps.move),
    reporterFor: (task) => modelFor(deps, task, deps.offline_llm),
  };
  const tool_deps: ConversationToolDeps = {
    ...deps,
    handedOver: (tx, task, reason) => requestNotice(hand_over_deps, tx, task, reason),
    finished: (tx, task, id) => requestResult(hand_over_deps, tx, task, id),
  };
  const answer_deps: AnswerDeps = {
    ...deps,
    replies,
    channels,
    history: historyStore(deps.db, deps.clock),
    toolsOf: async (task, context, variables) => [
      ...conversationTools(tool_deps, task),
      ...(await deps.runtime.tools({
        ...task.agent,
        context,
        variables,
        item_id: task.received.id,
        is_unproven: task.received.sender_proof !== 'proven',
        personTurns: () => [task.received.text],
      })),
    ],
    modelFor: (task) => modelFor(deps, task, deps.sandbox_llm),
  };
  const jobs: JobHandler[] = [
    answerJob(answer_deps),
    resumeAnswerJob(answer_deps),
    noticeJob(hand_over_deps),
    resultJob(hand_over_deps),
    earlierJob(deps),
    { kind: 'delete_agent_replies', every_seconds: 86_400, run: () => replies.deleteOld() },
  ];
  return { jobs, projection: humanPauses({ replies, clock: deps.clock }) };
}
export type MessageAgents = ReturnType<typeof messageAgents>;

/** Jobs of the previous release, which answered texts only. */
const earlierJob = (deps: MessageAgentDeps): JobHandler => ({
  kind: 'answer_sms',
  async run({ payload }) {
    const { organization_id, sms_id, agent_id } = payload as Record<string, string>;
    const sms = await deps.texts.find(organization_id!, sms_id!);
    if (!sms) return;
    await deps.db.transaction((tx) =>
      answerRequests(deps)(tx, {
        organization_id: sms.organization_id,
        channel: 'sms',
        message_id: sms.id,
        thread_id: sms.conversation_id,
        agent_id: agent_id!,
        own: sms.to,
        received_at: sms.requested_at,
      }),
    );
  },
});

/** Waits after the last message of a thread, so that several in a row get one answer. */
export const answerRequests = (deps: {
  db: Database;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
}): RequestAnswer => {
  const replies = replyStore(deps.db, deps.clock);
  return async (tx, request) => {
    const { organization_id, agent_id, channel, received_at } = request;
    const seconds =
      (await replies.delaySeconds(tx, organization_id, agent_id)) ?? default_delay_seconds[channel];
    await deps.jobs.enqueue(tx, {
      kind: answer_job,
      payload: request,
      run_at: new Date(Date.parse(received_at) + seconds * 1000),
      unique_key: uniqueKey(request),
      replace: true,
    });
    // The queue learns when the job is due.
    tx.afterCommit(() => deps.jobs.wake());
  };
};

/** The model of the agent's engine, else of the organization. The sandbox's own answers only where no real person reads it. */
async function modelFor(
  deps: MessageAgentDeps,
  { agent, received, channel }: Task,
  simulated: Llm,
): Promise<Llm | null> {
  const { organization_id } = received;
  const named = agent.engines.llm;
  const settings = named
    ? await deps.providers.named(organization_id, 'llm', named.provider)
    : await deps.providers.active(organization_id, 'llm');
  const llm = settings ? deps.openLlm(settings) : (await channel.isSimulated(received)) ? simulated : null;
  return llm && tracedLlm(deps.tracing, llm);
}
