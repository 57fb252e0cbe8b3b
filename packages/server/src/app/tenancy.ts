// Builds what belongs to organizations and their people: accounts, contacts, audit log, limits, funds, own providers.
import { agentKeyLimits } from '../config/admission.ts';
import { managedMode } from '../features/access/accounts/index.ts';
import { auditFeature } from '../features/access/audit/index.ts';
import { conversationTokenFeature } from '../features/access/conversation-tokens/index.ts';
import { identityFeature } from '../features/access/identity/index.ts';
import { providerFeature } from '../features/access/provider-settings/index.ts';
import { countryOf } from '../features/channels/numbers/index.ts';
import { budgetFeature } from '../features/rules/budgets/index.ts';
import { contactFeature } from '../features/rules/contacts/index.ts';
import { fundsFeature } from '../features/rules/funds/index.ts';
import { knownPartyFeature } from '../features/rules/known-parties/index.ts';
import { limitFeature } from '../features/rules/limits/index.ts';
import { quietHoursFeature } from '../features/rules/quiet-hours/index.ts';
import { receiveRuleFeature } from '../features/rules/receive-rules/index.ts';
import { recipientLimitFeature } from '../features/rules/recipient-limits/index.ts';
import { sendingRulesFeature } from '../features/rules/sending-rules/index.ts';
import { buildApprovals } from './approvals.ts';
import { buildConsents } from './consents.ts';
import type { Base } from './events.ts';
import type { Parts } from './parts.ts';
import { provider_manifests } from './vendors.ts';

export function buildTenancy(base: Base, parts: Parts) {
  const { config, options } = base;
  // Consents are built after contacts.
  const contacts = contactFeature({ ...base, revocations: () => parts.consents.revocations });
  const audit = auditFeature(base);
  const limits = limitFeature({
    ...base,
    clock: base.expiry_clock,
    audit: audit.log,
    onSwitch: () => parts.sms.dispatcher.switched(),
  });
  const funds = fundsFeature({ ...base, audit: audit.log, charging: config.PARLEY_FUNDS === 'on' });
  const identity = identityFeature(base);
  const sending_rules = sendingRulesFeature({ ...base, audit: audit.log });
  const quiet_hours = quietHoursFeature({ ...base, rules: sending_rules });
  const approvals = buildApprovals(base, parts, { audit, funds, sending_rules, quiet_hours });
  const consents = buildConsents(base, parts, { audit, sending_rules });
  const budgets = budgetFeature({
    ...base,
    rules: sending_rules,
    funds: funds.service,
    audit: audit.log,
    defaults: agentKeyLimits(config),
  });
  const known_parties = knownPartyFeature(base);
  const providers = providerFeature({
    ...base,
    audit: audit.log,
    known: provider_manifests,
    policy: base.target_policy,
  });
  const accounts = managedMode({
    ...base,
    changes: identity.changes,
    clock: base.expiry_clock,
    contacts: contacts.service,
    audit: audit.log,
    rules: sending_rules,
    credential_limits: budgets,
    mail: {
      send: (...args) => parts.mail.system_mail.send(...args),
      requireTransport: () => parts.mail.system_mail.requireTransport(),
      isReceivedHere: (...args) => parts.mail.system_mail.isReceivedHere(...args),
    },
    secret: options.auth_secret ?? '',
    ...(options.passwords && { passwords: options.passwords }),
  });
  return {
    identity,
    contacts,
    audit,
    limits,
    funds,
    sending_rules,
    quiet_hours,
    known_parties,
    recipient_limits: recipientLimitFeature({ ...base, known_parties }),
    conversation_tokens: conversationTokenFeature({
      ...base,
      changes: identity.changes,
      clock: base.expiry_clock,
      audit: audit.log,
    }),
    receive_rules: receiveRuleFeature({ ...base, audit: audit.log, countryOf }),
    approvals,
    budgets,
    consents,
    providers,
    accounts,
  };
}
