// The whole contract in one place: every operation group, event and lifecycle.
import { auditLog, channelStates, killSwitch } from './access/admin.ts';
import { apiKeys } from './access/credentials/api-keys.ts';
import { conversationTokens } from './access/credentials/conversation-tokens.ts';
import { oauthGrants } from './access/credentials/oauth-grants.ts';
import { signInLinks } from './access/credentials/sign-in-links.ts';
import { identity } from './access/identity.ts';
import { invitations, members } from './access/members.ts';
import { organizations } from './access/organizations.ts';
import { providers } from './access/providers.ts';
import { agents } from './agents/agents.ts';
import { mcpServers } from './agents/mcp-servers.ts';
import { toolCallLifecycle, toolCalls } from './agents/tool-calls.ts';
import { tools } from './agents/tools.ts';
import { callLifecycle } from './channels/calls/call-records.ts';
import { callResultLifecycle } from './channels/calls/call-results.ts';
import { callTransferLifecycle } from './channels/calls/call-transfers.ts';
import { calls } from './channels/calls/calls.ts';
import { emailAttachments } from './channels/emails/email-attachments.ts';
import { emailBatches } from './channels/emails/email-batches.ts';
import { emailDomains } from './channels/emails/email-domains.ts';
import { emailLifecycle } from './channels/emails/email-records.ts';
import { emailSuppressions } from './channels/emails/email-suppressions.ts';
import { emails } from './channels/emails/emails.ts';
import { numberLifecycle, numbers } from './channels/numbers/numbers.ts';
import { poolNumbers } from './channels/numbers/pool-numbers.ts';
import { verificationLifecycle, verifications } from './channels/numbers/verifications.ts';
import { sandboxSms, sms, smsLifecycle } from './channels/sms/sms.ts';
import { conversationResultLifecycle } from './inbox/conversation-results.ts';
import { conversations } from './inbox/conversations.ts';
import { receipts } from './inbox/receipts.ts';
import { search } from './inbox/search/search.ts';
import { waitLifecycle, waits } from './inbox/waits.ts';
import type { OperationGroup } from './operation.ts';
import { erasures } from './operations/erasures.ts';
import { events as eventLog } from './operations/events.ts';
import { explain } from './operations/explain/explain.ts';
import { goLive } from './operations/go-live.ts';
import { requestLog } from './operations/request-log.ts';
import { retention } from './operations/retention.ts';
import { sandbox } from './operations/sandbox/sandbox.ts';
import { sandboxEmails } from './operations/sandbox/sandbox-emails.ts';
import { sandboxOutbox } from './operations/sandbox/sandbox-outbox.ts';
import { sandboxPhone } from './operations/sandbox/sandbox-phone.ts';
import { setAsideWork } from './operations/set-aside-work.ts';
import {
  webhookDeliveryLifecycle,
  webhookSubscriptionLifecycle,
  webhooks,
} from './operations/webhooks/webhooks.ts';
import { approvalPolicy, trustedRecipients } from './rules/approvals/approval-policy.ts';
import { approvalLifecycle, approvals } from './rules/approvals/approvals.ts';
import { consents } from './rules/people/consents.ts';
import { contactRules } from './rules/people/contact-rules.ts';
import { contacts } from './rules/people/contacts.ts';
import { quietHours } from './rules/quiet-hours.ts';
import { receiveRules } from './rules/receive-rules.ts';
import { budgets } from './rules/spending/budgets.ts';
import { funds } from './rules/spending/funds.ts';
import { storage } from './rules/spending/storage.ts';

export { streamEvents } from './channels/calls/stream-events.ts';
export { type EventType, events } from './event-types.ts';

/** In the order of the reference: the channels, what they need, how to hear of results, the account, administration. */
export const operationGroups: readonly OperationGroup[] = [
  calls,
  emails,
  emailBatches,
  emailAttachments,
  emailDomains,
  emailSuppressions,
  sms,
  numbers,
  verifications,
  agents,
  tools,
  mcpServers,
  toolCalls,
  contacts,
  conversations,
  conversationTokens,
  search,
  waits,
  receiveRules,
  approvals,
  approvalPolicy,
  trustedRecipients,
  consents,
  contactRules,
  quietHours,
  budgets,
  receipts,
  erasures,
  retention,
  storage,
  webhooks,
  eventLog,
  explain,
  requestLog,
  sandbox,
  sandboxPhone,
  sandboxSms,
  sandboxEmails,
  sandboxOutbox,
  providers,
  funds,
  identity,
  signInLinks,
  goLive,
  apiKeys,
  oauthGrants,
  members,
  invitations,
  organizations,
  poolNumbers,
  killSwitch,
  channelStates,
  setAsideWork,
  auditLog,
];

export const lifecycles = [
  callLifecycle,
  callResultLifecycle,
  callTransferLifecycle,
  conversationResultLifecycle,
  emailLifecycle,
  numberLifecycle,
  verificationLifecycle,
  smsLifecycle,
  webhookSubscriptionLifecycle,
  webhookDeliveryLifecycle,
  approvalLifecycle,
  waitLifecycle,
  toolCallLifecycle,
] as const;
