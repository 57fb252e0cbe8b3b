// What an agent needs to answer texts: reads them, asks the rules, and stores the answer once.
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Clock } from '../../../../platform/clock.ts';
import type { Transaction } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import {
  type Admission,
  type AdmissionRequest,
  type ApprovalNeed,
  agentInConversation,
  type CreateDecision,
  type Stopped,
} from '../../../rules/admission/index.ts';
import type { ConsentRevocations } from '../../../rules/consents/index.ts';
import { conversationId } from '../receiving/conversation-id.ts';
import type { ConversationStore } from '../receiving/conversation-store.ts';
import { replyTo } from '../receiving/reply-row.ts';
import { chargeAndPayload } from '../sms-payload.ts';
import type { SmsStore } from '../store.ts';
import type { SuppressionStore } from '../suppression-store.ts';
import { queuedFields } from './create-sms.ts';
import type { SmsRow } from './sms-record-store.ts';

export type AgentTextDeps = {
  store: SmsStore;
  conversations: ConversationStore;
  suppressions: SuppressionStore;
  revocations: Pick<ConsentRevocations, 'isSuspected'>;
  admission: Pick<Admission, 'admit'>;
  clock: Clock;
  ids: Ids;
  /** The limit for one conversation within a day: two bots must not talk to each other without end. */
  automatic_replies: number;
  /** After the commit: a text is in the queue. */
  queued(): void;
};

export type AgentText = {
  agent_id: string;
  body: string;
  /** Why a person must approve it first; null when it is sent at once. */
  needs_approval: ApprovalNeed | null;
  /** In the transaction that stores the answer; what it throws stops the answer. */
  commit(tx: Transaction, id: string): Promise<void>;
};
export type AgentTextOutcome =
  | { outcome: 'stored'; id: string }
  | { outcome: 'duplicate' | 'suppressed' }
  | { outcome: 'stopped'; stopped: Stopped };

const day_ms = 86_400_000;

export const agentTexts = (deps: AgentTextDeps) => ({
  find: deps.store.find,
  history: deps.conversations.history,
  automatic_replies: deps.automatic_replies,
  isSuspected: ({ organization_id, from }: Sms) => deps.revocations.isSuspected(organization_id, from, 'sms'),

  /** Automatic texts of the conversation within a day, with the answers to keywords. */
  automaticToday: ({ organization_id, conversation_id }: Sms): Promise<number> =>
    deps.conversations.automaticSince(organization_id, conversation_id, new Date(deps.clock.ms() - day_ms)),

  /** How often the same text arrived in the conversation in the last minutes, with this one. */
  repetitions: ({ organization_id, conversation_id, body }: Sms, minutes: number): Promise<number> =>
    deps.conversations.receivedWithBody(organization_id, {
      conversation_id,
      body,
      since: new Date(deps.clock.ms() - minutes * 60_000),
    }),

  /** Before the model is called, so that no model tokens are spent on an answer that may not be sent. */
  trial: (inbound: Sms, agent_id: string): Promise<CreateDecision> =>
    deps.admission.admit('create', { ...requestOf(deps, inbound, agent_id), is_dry_run: true }),

  send: (inbound: Sms, text: AgentText) => sendText(deps, inbound, text),
});
export type AgentTexts = ReturnType<typeof agentTexts>;

const requestOf = (deps: AgentTextDeps, inbound: Sms, agent_id: string): AdmissionRequest => ({
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

async function sendText(
  deps: AgentTextDeps,
  inbound: Sms,
  { agent_id, body, needs_approval, commit }: AgentText,
): Promise<AgentTextOutcome> {
  const { organization_id } = inbound;
  const reply = newReply(deps, inbound, agent_id, body);
  const request = {
    ...requestOf(deps, inbound, agent_id),
    recipients: [reply.to],
    conversation_id: conversationId(organization_id, reply.from, reply.to),
    ...chargeAndPayload(reply),
    needs_approval,
  };
  const decision = await deps.admission.admit('create', request);
  if (decision.outcome !== 'allow') return { outcome: 'stopped', stopped: decision };
  const row: SmsRow = { ...reply, hold: decision.hold, ...queuedFields(reply, request, decision) };
  const guard = async (tx: Transaction) => {
    await commit(tx, row.id);
    await decision.commit?.(tx);
  };
  // A second run of the job is a duplicate, and a STOP in the meantime suppresses the recipient.
  const result = await deps.store.insert(organization_id, { row, guard });
  if (result === 'stored') {
    if (!row.hold) deps.queued();
    return { outcome: 'stored', id: row.id };
  }
  return { outcome: result === 'suppressed' ? 'suppressed' : 'duplicate' };
}

const newReply = ({ clock, ids }: AgentTextDeps, inbound: Sms, agent_id: string, body: string) => ({
  ...replyTo(inbound, { id: ids.next(), body, origin: 'agent' }),
  requested_at: clock.now().toISOString(),
  metadata: { agent_id },
  is_shared_sender: false,
});
