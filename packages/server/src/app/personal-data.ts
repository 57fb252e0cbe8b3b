// How each feature erases and forgets the data of people. An erasure goes through them in this order.
import { conversationTokenPersonalData } from '../features/access/conversation-tokens/index.ts';
import { agentRuntimePersonalData } from '../features/agents/runtime/index.ts';
import { callPersonalData } from '../features/channels/calls/index.ts';
import { attachmentPersonalData } from '../features/channels/email-attachments/index.ts';
import { emailSuppressionPersonalData } from '../features/channels/email-suppressions/index.ts';
import { emailPersonalData } from '../features/channels/emails/index.ts';
import { messageAgentPersonalData } from '../features/channels/message-agents/index.ts';
import { smsPersonalData } from '../features/channels/sms/index.ts';
import { conversationPersonalData } from '../features/inbox/conversations/index.ts';
import { projectorPersonalData } from '../features/inbox/projector/index.ts';
import { receiptPersonalData } from '../features/inbox/receipts/index.ts';
import { searchPersonalData } from '../features/inbox/search/index.ts';
import { eventPersonalData } from '../features/operations/events/index.ts';
import { requestLogPersonalData } from '../features/operations/request-log/index.ts';
import { sandboxOutboxPersonalData } from '../features/operations/sandbox-outbox/index.ts';
import { webhookPersonalData } from '../features/operations/webhooks/index.ts';
import { approvalPersonalData } from '../features/rules/approvals/index.ts';
import { consentPersonalData } from '../features/rules/consents/index.ts';
import { contactPersonalData } from '../features/rules/contacts/index.ts';
import { knownPartyPersonalData } from '../features/rules/known-parties/index.ts';
import { recipientLimitPersonalData } from '../features/rules/recipient-limits/index.ts';
import type { PersonalData } from '../platform/personal-data.ts';
import { platformPersonalData } from '../platform/platform-personal-data.ts';

export const personal_data: readonly PersonalData[] = [
  emailPersonalData,
  attachmentPersonalData,
  smsPersonalData,
  callPersonalData,
  agentRuntimePersonalData,
  messageAgentPersonalData,
  conversationPersonalData,
  conversationTokenPersonalData,
  searchPersonalData,
  projectorPersonalData,
  approvalPersonalData,
  receiptPersonalData,
  eventPersonalData,
  // After the events: deliveries of deleted events go.
  webhookPersonalData,
  sandboxOutboxPersonalData,
  requestLogPersonalData,
  knownPartyPersonalData,
  recipientLimitPersonalData,
  emailSuppressionPersonalData,
  consentPersonalData,
  contactPersonalData,
  platformPersonalData,
];
