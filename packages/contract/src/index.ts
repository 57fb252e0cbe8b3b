// The whole contract in one place: every operation group, event and lifecycle.
import { auditLog, channelStates, killSwitch } from './admin.ts';
import { agents } from './agents.ts';
import { apiKeys } from './api-keys.ts';
import { approvalPolicy, trustedRecipients } from './approval-policy.ts';
import { approvalLifecycle, approvals } from './approvals.ts';
import { budgets } from './budgets.ts';
import { callLifecycle } from './call-records.ts';
import { callResultLifecycle } from './call-results.ts';
import { callTransferLifecycle } from './call-transfers.ts';
import { calls } from './calls.ts';
import { consents } from './consents.ts';
import { contactRules } from './contact-rules.ts';
import { contacts } from './contacts.ts';
import { conversationResultLifecycle } from './conversation-results.ts';
import { conversationTokens } from './conversation-tokens.ts';
import { conversations } from './conversations.ts';
import { emailAttachments } from './email-attachments.ts';
import { emailBatches } from './email-batches.ts';
import { emailDomains } from './email-domains.ts';
import { emailLifecycle } from './email-records.ts';
import { emailSuppressions } from './email-suppressions.ts';
import { emails } from './emails.ts';
import { erasures } from './erasures.ts';
import { events as eventLog } from './events.ts';
import { explain } from './explain.ts';
import { funds } from './funds.ts';
import { goLive } from './go-live.ts';
import { identity } from './identity.ts';
import { mcpServers } from './mcp-servers.ts';
import { invitations, members } from './members.ts';
import { numberLifecycle, numbers } from './numbers.ts';
import { oauthGrants } from './oauth-grants.ts';
import type { OperationGroup } from './operation.ts';
import { organizations } from './organizations.ts';
import { poolNumbers } from './pool-numbers.ts';
import { providers } from './providers.ts';
import { quietHours } from './quiet-hours.ts';
import { receipts } from './receipts.ts';
import { receiveRules } from './receive-rules.ts';
import { requestLog } from './request-log.ts';
import { retention } from './retention.ts';
import { sandbox } from './sandbox.ts';
import { sandboxEmails } from './sandbox-emails.ts';
import { sandboxOutbox } from './sandbox-outbox.ts';
import { sandboxPhone } from './sandbox-phone.ts';
import { search } from './search.ts';
import { setAsideWork } from './set-aside-work.ts';
import { signInLinks } from './sign-in-links.ts';
import { sandboxSms, sms, smsLifecycle } from './sms.ts';
import { storage } from './storage.ts';
import { toolCallLifecycle, toolCalls } from './tool-calls.ts';
import { tools } from './tools.ts';
import { verificationLifecycle, verifications } from './verifications.ts';
import { waitLifecycle, waits } from './waits.ts';
import { webhookDeliveryLifecycle, webhookSubscriptionLifecycle, webhooks } from './webhooks.ts';

export { type EventType, events } from './event-types.ts';
export { streamEvents } from './stream-events.ts';

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
