// Builds the wing rules: what may leave or arrive. Admission is built with the channels, which it decides about.
import { channels } from '@parley/contract/access/admin';
import { agentKeyLimits } from '../config/admission.ts';
import { countryOf } from '../features/channels/numbers/index.ts';
import { type AdmissionRequest, type GatedRequest, judgeHours } from '../features/rules/admission/index.ts';
import { approvalFeature } from '../features/rules/approvals/index.ts';
import { budgetFeature } from '../features/rules/budgets/index.ts';
import { consentFeature } from '../features/rules/consents/index.ts';
import { contactFeature } from '../features/rules/contacts/index.ts';
import { fundsFeature } from '../features/rules/funds/index.ts';
import { knownPartyFeature } from '../features/rules/known-parties/index.ts';
import { limitFeature } from '../features/rules/limits/index.ts';
import { quietHoursFeature } from '../features/rules/quiet-hours/index.ts';
import { receiveRuleFeature } from '../features/rules/receive-rules/index.ts';
import { recipientLimitFeature } from '../features/rules/recipient-limits/index.ts';
import { sendingRulesFeature } from '../features/rules/sending-rules/index.ts';
import { storageQuota } from '../features/rules/storage-quota/index.ts';
import { type Access, accountFeature } from './access.ts';
import type { Service } from './service.ts';

export function rulesWing(on: Service, access: Access) {
  const { config, late } = on;
  const audited = { ...on, audit: access.audit.log };
  const limits = limitFeature({
    ...audited,
    clock: on.expiry_clock,
    onSwitch: on.hooks.sendingSwitched,
  });
  const funds = fundsFeature({ ...audited, charging: config.PARLEY_FUNDS === 'on' });
  const sending_rules = sendingRulesFeature(audited);
  const ruled = { ...audited, rules: sending_rules, funds: funds.service };
  const quiet_hours = quietHoursFeature(ruled);
  const consents = consentFeature({
    ...ruled,
    attachmentLink: late.attachments.link,
    suppressText: late.sms_suppressions.suppressRevoked,
    suppressEmail: late.email_suppressions.suppressRevoked,
  });
  const contacts = contactFeature({ ...on, revocations: consents.revocations });
  const budgets = budgetFeature({ ...ruled, defaults: agentKeyLimits(config) });
  const known_parties = knownPartyFeature(on);
  const accounts = accountFeature(on, access, { contacts, sending_rules, budgets });
  const approvals = approvalFeature({
    ...ruled,
    mail: late.mail,
    waitingRecords: on.hooks.waitingRecords,
    isOutsideHours: async (request) =>
      isSending(request) && (await judgeHours(quiet_hours.judge, request, on.clock))?.is_allowed === false,
    content_days: config.PARLEY_APPROVAL_CONTENT_DAYS,
    form_key: on.keyFor('forms of approval links'),
    signedIn: config.PARLEY_APPROVAL_LINK_SIGN_IN === 'on' ? accounts.signedIn : null,
    has_operator_key: Boolean(on.options.operator_key),
  });
  return {
    limits,
    funds,
    sending_rules,
    quiet_hours,
    consents,
    contacts,
    budgets,
    known_parties,
    recipient_limits: recipientLimitFeature({ ...on, known_parties }),
    receive_rules: receiveRuleFeature({ ...audited, countryOf }),
    quota: storageQuota({ db: on.db, quota_mb: config.PARLEY_STORAGE_QUOTA_MB }),
    accounts,
    approvals,
  };
}
export type Rules = ReturnType<typeof rulesWing>;

/** Purchases, forward addresses and changes of the configuration reach nobody at a time of day. */
const isSending = (request: GatedRequest): request is AdmissionRequest =>
  (channels as readonly string[]).includes(request.channel);
