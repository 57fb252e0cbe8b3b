// Builds the wing inbox, whose tables the projector keeps current, and the agents that answer conversations.
import { messageAgents } from '../features/channels/message-agents/index.ts';
import { conversationFeature } from '../features/inbox/conversations/index.ts';
import { projectorFeature } from '../features/inbox/projector/index.ts';
import { receiptFeature } from '../features/inbox/receipts/index.ts';
import { searchFeature } from '../features/inbox/search/index.ts';
import { waitFeature } from '../features/inbox/waits/index.ts';
import { ApiError } from '../platform/http/api-error.ts';
import { offlineLlm } from '../providers/llm/offline/index.ts';
import { sandboxLlm } from '../providers/llm/sandbox/index.ts';
import type { Access } from './access.ts';
import type { Agents } from './agents.ts';
import type { Channels } from './channels.ts';
import type { Rules } from './rules.ts';
import type { Service } from './service.ts';

export function inboxWing(on: Service, needs: Access & Rules & Agents & Channels) {
  const { mail, sms, calls, contacts, numbers } = needs;
  const emailText = mail.writtenText;
  const conversations = conversationFeature({
    ...on,
    emailText,
    emails: { reply: mail.reply },
    texts: sms.texts,
  });
  const search = searchFeature({
    ...on,
    emailText,
    readContacts: contacts.service.findAll,
    ...conversations.threads,
    is_on: on.config.PARLEY_SEARCH === 'on',
  });
  const receipts = receiptFeature(on);
  const waits = waitFeature({
    ...on,
    resolveConversation: conversations.resolve,
    tokenThreads: needs.conversation_tokens.gate.threads,
    received: { email: mail.received, sms: sms.received },
    records: {
      email: (organization_id, id) => mail.readAsText(organization_id, id).catch(nullIfMissing),
      sms: sms.find,
      call: calls.find,
      approval: needs.approvals.find,
      conversation: conversations.find,
    },
  });
  const message_agents = messageAgents({
    ...on,
    texts: sms.agent_texts,
    emails: mail.agent_emails,
    agents: needs.agents.service,
    runtime: needs.agent_runtime,
    providers: needs.providers.service,
    admission: needs.admission,
    openLlm: needs.own_engines.llm,
    sandbox_llm: sandboxLlm(),
    offline_llm: offlineLlm(),
    sendEmail: needs.messages.sendEmail,
    conversationUrl: (id) => `${on.baseUrl()}/inbox?id=${id}`,
    isOwnNumber: async (e164) => (await numbers.holders(on.db, [e164])).length > 0,
    control: conversations.agents,
    project: on.late.projector.drainDue,
  });
  const projector = projectorFeature({
    ...on,
    emailText,
    // Waits need to know the conversations of new messages.
    projections: [
      conversations.projection,
      ...search.projections,
      waits.projection,
      receipts.projection,
      message_agents.projection,
    ],
  });
  return { conversations, search, receipts, waits, message_agents, projector };
}
export type Inbox = ReturnType<typeof inboxWing>;

function nullIfMissing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null;
  throw error;
}
