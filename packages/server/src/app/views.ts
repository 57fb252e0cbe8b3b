// Builds the projector and the features whose tables it keeps current.

import { messageAgents } from '../features/channels/message-agents/index.ts';
import { agentMessages } from '../features/channels/message-agents/message-sender.ts';
import { conversationFeature } from '../features/inbox/conversations/index.ts';
import { projectorFeature } from '../features/inbox/projector/index.ts';
import { receiptFeature } from '../features/inbox/receipts/index.ts';
import { searchFeature } from '../features/inbox/search/index.ts';
import { waitFeature } from '../features/inbox/waits/index.ts';
import { ApiError } from '../platform/http/api-error.ts';
import { offlineLlm } from '../providers/llm/offline/index.ts';
import { sandboxLlm } from '../providers/llm/sandbox/index.ts';
import type { Base } from './events.ts';
import type { Parts, ViewParts } from './parts.ts';

type Records = Pick<
  Parts,
  | 'mail'
  | 'sms'
  | 'calls'
  | 'approvals'
  | 'contacts'
  | 'conversation_tokens'
  | 'agents'
  | 'agent_runtime'
  | 'numbers'
  | 'admission'
  | 'providers'
  | 'own_engines'
>;

export function buildViews(base: Base, records: Records): ViewParts {
  const { mail, sms, contacts } = records;
  const conversations = conversationFeature({
    ...base,
    emailText: mail.writtenText,
    emails: { reply: mail.reply },
    texts: sms.texts,
  });
  const search = searchFeature({
    ...base,
    emailText: mail.writtenText,
    readContacts: contacts.service.findAll,
    ...conversations.threads,
    is_on: base.config.PARLEY_SEARCH === 'on',
  });
  const receipts = receiptFeature(base);
  const waits = buildWaits(base, records, conversations);
  // Waits need to know the conversations of new messages.
  const message_agents = buildMessageAgents(base, records, conversations, () => projector.drain());
  const projections = [
    conversations.projection,
    ...search.projections,
    waits.projection,
    receipts.projection,
    message_agents.projection,
  ];
  const projector = projectorFeature({ ...base, projections, emailText: mail.writtenText });
  return { projector, conversations, search, waits, receipts, message_agents };
}

const buildMessageAgents = (
  base: Base,
  records: Records,
  { agents: control }: ViewParts['conversations'],
  project: () => Promise<void>,
) =>
  messageAgents({
    ...base,
    texts: records.sms.agent_texts,
    emails: records.mail.agent_emails,
    agents: records.agents.service,
    runtime: records.agent_runtime,
    providers: records.providers.service,
    admission: records.admission,
    openLlm: records.own_engines.llm,
    sandbox_llm: sandboxLlm(),
    offline_llm: offlineLlm(),
    sendEmail: agentMessages(records).sendEmail,
    conversationUrl: (id) => `${base.baseUrl()}/inbox?id=${id}`,
    isOwnNumber: async (e164) => (await records.numbers.holders(base.db, [e164])).length > 0,
    control,
    project,
  });

const buildWaits = (
  base: Base,
  { mail, sms, calls, approvals, conversation_tokens }: Records,
  conversations: Pick<ViewParts['conversations'], 'resolve' | 'find'>,
) =>
  waitFeature({
    ...base,
    resolveConversation: conversations.resolve,
    tokenThreads: conversation_tokens.gate.threads,
    received: { email: mail.received, sms: sms.received },
    records: {
      email: (organization_id, id) => mail.readAsText(organization_id, id).catch(nullIfMissing),
      sms: sms.find,
      call: calls.find,
      approval: approvals.find,
      conversation: conversations.find,
    },
  });

function nullIfMissing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null;
  throw error;
}
