// The parts of the service by name. They are built in order; a closure may use a part that is built after it, because
// closures run only once the whole app is built.
import type { managedMode } from '../features/access/accounts/index.ts';
import type { auditFeature } from '../features/access/audit/index.ts';
import type { conversationTokenFeature } from '../features/access/conversation-tokens/index.ts';
import type { identityFeature } from '../features/access/identity/index.ts';
import type { providerFeature } from '../features/access/provider-settings/index.ts';
import type { agentFeature } from '../features/agents/agents/index.ts';
import type { mcpServerFeature } from '../features/agents/mcp-servers/index.ts';
import type { agentRuntimeFeature } from '../features/agents/runtime/index.ts';
import type { toolFeature } from '../features/agents/tools/index.ts';
import type { callFeature, OwnEngines } from '../features/channels/calls/index.ts';
import type { mailFeatures } from '../features/channels/mail/index.ts';
import type { MessageAgents } from '../features/channels/message-agents/index.ts';
import type { numbersFeature } from '../features/channels/numbers/index.ts';
import type { buildPhones } from '../features/channels/phones/index.ts';
import type { smsFeature } from '../features/channels/sms/index.ts';
import type { verificationFeature } from '../features/channels/verifications/index.ts';
import type { conversationFeature } from '../features/inbox/conversations/index.ts';
import type { projectorFeature } from '../features/inbox/projector/index.ts';
import type { receiptFeature } from '../features/inbox/receipts/index.ts';
import type { searchFeature } from '../features/inbox/search/index.ts';
import type { waitFeature } from '../features/inbox/waits/index.ts';
import type { eventFeature } from '../features/operations/events/index.ts';
import type { webhookFeature } from '../features/operations/webhooks/index.ts';
import type { admissionFeature } from '../features/rules/admission/index.ts';
import type { approvalFeature } from '../features/rules/approvals/index.ts';
import type { budgetFeature } from '../features/rules/budgets/index.ts';
import type { consentFeature } from '../features/rules/consents/index.ts';
import type { contactFeature } from '../features/rules/contacts/index.ts';
import type { fundsFeature } from '../features/rules/funds/index.ts';
import type { knownPartyFeature } from '../features/rules/known-parties/index.ts';
import type { limitFeature } from '../features/rules/limits/index.ts';
import type { quietHoursFeature } from '../features/rules/quiet-hours/index.ts';
import type { receiveRuleFeature } from '../features/rules/receive-rules/index.ts';
import type { recipientLimitFeature } from '../features/rules/recipient-limits/index.ts';
import type { sendingRulesFeature } from '../features/rules/sending-rules/index.ts';

export type EventParts = {
  events: ReturnType<typeof eventFeature>;
  webhooks: ReturnType<typeof webhookFeature>;
};

export type TenancyParts = {
  identity: ReturnType<typeof identityFeature>;
  contacts: ReturnType<typeof contactFeature>;
  audit: ReturnType<typeof auditFeature>;
  limits: ReturnType<typeof limitFeature>;
  funds: ReturnType<typeof fundsFeature>;
  sending_rules: ReturnType<typeof sendingRulesFeature>;
  quiet_hours: ReturnType<typeof quietHoursFeature>;
  known_parties: ReturnType<typeof knownPartyFeature>;
  recipient_limits: ReturnType<typeof recipientLimitFeature>;
  receive_rules: ReturnType<typeof receiveRuleFeature>;
  approvals: ReturnType<typeof approvalFeature>;
  budgets: ReturnType<typeof budgetFeature>;
  consents: ReturnType<typeof consentFeature>;
  conversation_tokens: ReturnType<typeof conversationTokenFeature>;
  providers: ReturnType<typeof providerFeature>;
  accounts: ReturnType<typeof managedMode>;
};

export type TelephonyParts = {
  phones: ReturnType<typeof buildPhones>;
  own_engines: OwnEngines;
  agents: ReturnType<typeof agentFeature>;
  tools: ReturnType<typeof toolFeature>;
  mcp_servers: ReturnType<typeof mcpServerFeature>;
  agent_runtime: ReturnType<typeof agentRuntimeFeature>;
  verifications: ReturnType<typeof verificationFeature>;
  numbers: ReturnType<typeof numbersFeature>;
  admission: ReturnType<typeof admissionFeature>;
  sms: ReturnType<typeof smsFeature>;
  calls: ReturnType<typeof callFeature>;
};

export type ViewParts = {
  projector: ReturnType<typeof projectorFeature>;
  conversations: ReturnType<typeof conversationFeature>;
  search: ReturnType<typeof searchFeature>;
  waits: ReturnType<typeof waitFeature>;
  receipts: ReturnType<typeof receiptFeature>;
  message_agents: MessageAgents;
};

export type Parts = EventParts &
  TenancyParts &
  TelephonyParts &
  ViewParts & { mail: ReturnType<typeof mailFeatures> };
