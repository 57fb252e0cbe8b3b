// Lets an agent answer an inbound text: once per text, with a limit per conversation. Publishes the reason when it does not.
import { limits } from '@parley/contract/limits';
import type { Sms } from '@parley/contract/sms';
import { type SmsSilence, smsSilences } from '@parley/contract/sms-events';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { UnitOfWork } from '../../platform/unit-of-work/unit-of-work.ts';
import { type Llm, wholeReply } from '../../providers/llm/llm.ts';
import {
  type Admission,
  type AdmissionRequest,
  agentInConversation,
  type Stopped,
  storeAdmitted,
} from '../admission/index.ts';
import type { AgentService } from '../agents/index.ts';
import type { ConsentRevocations } from '../consents/index.ts';
import { conversationId } from './conversation-id.ts';
import type { ConversationStore } from './conversation-store.ts';
import { queuedFields } from './create-sms.ts';
import { replyTo } from './reply-row.ts';
import { chargeAndPayload } from './sms-payload.ts';
import type { SmsRow } from './sms-record-store.ts';
import type { SmsStore } from './store.ts';
import type { SuppressionStore } from './suppression-store.ts';

export const answer_job = 'answer_sms';
const max_attempts = 4;
const history_texts = 30;
/** An answer that was deferred for this long is not sent any more. */
const give_up_seconds = 15 * 60;

type Agent = NonNullable<Awaited<ReturnType<AgentService['find']>>>;
type Payload = { organization_id: string; sms_id: string; agent_id: string; holds?: number };

export type AgentReplyDeps = {
  db: Database;
  store: SmsStore;
  conversations: ConversationStore;
  suppressions: SuppressionStore;
  agents: AgentService;
  revocations: Pick<ConsentRevocations, 'isSuspected'>;
  admission: Pick<Admission, 'admit'>;
  /** The model of the organization, or the sandbox's own; null where there is none to use. */
  model(organization_id: string, provider: string): Promise<Llm | null>;
  unitOfWork: UnitOfWork;
  clock: Clock;
  ids: Ids;
  log: Log;
  enqueue: Jobs['enqueue'];
  /** The limit for one conversation within a day: two bots must not talk to each other without end. */
  automatic_replies: number;
  /** After the commit: a text is in the queue. */
  queued(): void;
};

export function agentReplies(deps: AgentReplyDeps): JobHandler {
  return {
    kind: answer_job,
    max_attempts,
    run: (job, signal) => answer(deps, job, signal),
  };
}

async function answer(deps: AgentReplyDeps, { payload, attempts }: Job, signal: AbortSignal): Promise<void> {
  const { store, conversations, clock } = deps;
  const { organization_id, sms_id, agent_id } = payload as Payload;
  const [inbound, agent] = await Promise.all([
    store.find(organization_id, sms_id),
    deps.agents.find(organization_id, agent_id),
  ]);
  if (!inbound || !agent) return;
  const silent = (reason: SmsSilence, detail: string) => staySilent(deps, inbound, agent_id, reason, detail);
  const since = new Date(clock.ms() - 86_400_000);
  const written = await conversations.automaticSince(organization_id, inbound.conversation_id, since);
  if (written >= deps.automatic_replies) {
    return silent('reply_limit', `The agent wrote ${written} texts in this conversation within a day.`);
  }
  if (await deps.revocations.isSuspected(organization_id, inbound.from, 'sms')) {
    return silent(
      'revocation_suspected',
      'The person may have refused texts. A person decides with POST /v1/consents/suspected/{suspicion_id}/decide.',
    );
  }
  // Checked before the model is called, so that no model tokens are spent on an answer that may not be sent.
  const request = requestOf(deps, inbound, agent_id);
  const trial = await deps.admission.admit('create', { ...request, is_dry_run: true });
  if (trial.outcome !== 'allow') return stopped(deps, payload as Payload, inbound, trial);
  const model = await deps.model(organization_id, inbound.provider);
  if (!model) {
    return silent(
      'llm_not_configured',
      'There is no language model to answer with. Set an LLM provider with PUT /v1/providers/llm.',
    );
  }
  let body: string;
  try {
    body = await composeReply(deps, model, agent, inbound, signal);
  } catch (error) {
    if (signal.aborted || attempts + 1 < max_attempts) throw error;
    return silent('llm_failed', `The language model failed ${max_attempts} times.`);
  }
  if (body === '') return silent('llm_failed', 'The language model returned no text.');
  const reply = newReply(deps, inbound, agent_id, body);
  const full_request = {
    ...request,
    recipients: [reply.to],
    conversation_id: conversationId(organization_id, reply.from, reply.to),
    ...chargeAndPayload(reply),
  };
  const decision = await deps.admission.admit('create', full_request);
  if (decision.outcome !== 'allow') return stopped(deps, payload as Payload, inbound, decision);
  const row: SmsRow = {
    ...reply,
    hold: decision.hold,
    ...queuedFields(reply, full_request, decision),
  };
  try {
    // A second run of this job is a duplicate, and a STOP in the meantime suppresses the recipient.
    const result = await storeAdmitted(
      decision,
      () => store.insert(organization_id, { row, guard: decision.commit }),
      (stored) => stored === 'stored',
    );
    if (result === 'suppressed') await silent('recipient_suppressed', `${row.to} must not be texted.`);
    else if (result === 'stored' && !row.hold) deps.queued();
  } catch (error) {
    // The cap or the balance was used up while the model was running.
    if (!(error instanceof ApiError)) throw error;
    await refused(deps, inbound, agent_id, error);
  }
}

const requestOf = (deps: AgentReplyDeps, inbound: Sms, agent_id: string): AdmissionRequest => ({
  organization_id: inbound.organization_id,
  channel: 'sms',
  origin: 'agent',
  recipients: [inbound.from],
  provider: inbound.provider,
  consent: 'inbound_message',
  principal: agentInConversation(agent_id, inbound.conversation_id),
  conversation_id: conversationId(inbound.organization_id, inbound.to, inbound.from),
  purpose: 'conversational',
  charge: { item: 'sms_segment', quantity: 1, reference: inbound.id },
  suppressed: async () =>
    (await deps.suppressions.find(inbound.organization_id, inbound.from)) ? [inbound.from] : [],
});

async function composeReply(
  { conversations }: AgentReplyDeps,
  model: Llm,
  agent: Agent,
  inbound: Sms,
  signal: AbortSignal,
): Promise<string> {
  const { organization_id, conversation_id, id } = inbound;
  const texts = await conversations.history(organization_id, conversation_id, id, history_texts);
  const { text } = await wholeReply(model, {
    system_prompt: agent.system_prompt ?? '',
    turns: texts.map(({ direction, body }) => ({
      role: direction === 'inbound' ? 'user' : 'assistant',
      content: body,
    })),
    language: agent.language,
    model: agent.llm_model,
    signal,
  });
  return text.replaceAll('\0', '').trim().slice(0, limits.sms_body_chars).toWellFormed();
}

const newReply = ({ clock, ids }: AgentReplyDeps, inbound: Sms, agent_id: string, body: string) => ({
  ...replyTo(inbound, { id: ids.next(), body, origin: 'agent' }),
  requested_at: clock.now().toISOString(),
  metadata: { agent_id },
  is_shared_sender: false,
});

/** Defers the answer while the kill switch is on, until the answer is outdated. */
async function stopped(deps: AgentReplyDeps, payload: Payload, inbound: Sms, why: Stopped): Promise<void> {
  const { clock } = deps;
  const waited_seconds = (clock.ms() - Date.parse(inbound.requested_at)) / 1000;
  if (why.outcome === 'refuse' || waited_seconds > give_up_seconds) {
    return refused(deps, inbound, payload.agent_id, why.error);
  }
  // A unique key per deferral: the row of this run is removed when it ends, and a run after a crash adds no second one.
  const holds = (payload.holds ?? 0) + 1;
  await deps.enqueue(deps.db, {
    kind: answer_job,
    payload: { ...payload, holds },
    run_at: new Date(clock.ms() + why.retry_after_seconds * 1000),
    unique_key: `${answer_job}:${inbound.id}:${holds}`,
  });
}

/** Rules without a reason of their own share one, and the detail names the rule. */
function refused(deps: AgentReplyDeps, inbound: Sms, agent_id: string, error: ApiError): Promise<void> {
  const reason = smsSilences.find((each) => each === error.code);
  return reason
    ? staySilent(deps, inbound, agent_id, reason, error.message)
    : staySilent(deps, inbound, agent_id, 'not_allowed', `${error.code}: ${error.message}`);
}

async function staySilent(
  deps: AgentReplyDeps,
  inbound: Sms,
  agent_id: string,
  reason: SmsSilence,
  detail: string,
): Promise<void> {
  const { organization_id, id, from, to } = inbound;
  deps.log.info({ sms_id: id, agent_id, reason }, 'agent does not answer a text');
  const data = { id, from, to, agent_id, reason, detail };
  await deps.unitOfWork.commit({
    events: [{ organization_id, type: 'sms.not_answered', resource_id: id, data }],
  });
}
