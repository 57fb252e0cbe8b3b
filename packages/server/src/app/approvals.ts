// Builds approvals, and connects them with the channels whose records wait for them.
import { channels } from '@parley/contract/access/admin';
import {
  type AdmissionRequest,
  type GatedRequest,
  judgeHours,
  type WaitingRecords,
} from '../features/rules/admission/index.ts';
import { approvalFeature } from '../features/rules/approvals/index.ts';
import type { Base } from './events.ts';
import type { Parts, TenancyParts } from './parts.ts';

export const buildApprovals = (
  base: Base,
  parts: Parts,
  {
    audit,
    funds,
    sending_rules,
    quiet_hours,
  }: Pick<TenancyParts, 'audit' | 'funds' | 'sending_rules' | 'quiet_hours'>,
) =>
  approvalFeature({
    ...base,
    audit: audit.log,
    rules: sending_rules,
    funds: funds.service,
    mail: {
      send: (...args) => parts.mail.system_mail.send(...args),
      requireTransport: () => parts.mail.system_mail.requireTransport(),
      isReceivedHere: (...args) => parts.mail.system_mail.isReceivedHere(...args),
    },
    waiting_records: {
      call: late(() => parts.calls.waiting_calls),
      email: late(() => parts.mail.waiting_emails),
      sms: late(() => parts.sms.waiting_sms),
      number: late(() => parts.numbers.waiting_numbers),
      forward_address: late(() => parts.mail.waiting_forwards),
      tool_call: late(() => parts.agent_runtime.waiting_tool_calls),
    },
    isOutsideHours: async (request) =>
      isSending(request) && (await judgeHours(quiet_hours.judge, request, base.clock))?.is_allowed === false,
    content_days: base.config.PARLEY_APPROVAL_CONTENT_DAYS,
    form_key: base.keyFor('forms of approval links'),
    signedIn:
      base.config.PARLEY_APPROVAL_LINK_SIGN_IN === 'on'
        ? (request) => parts.accounts.signedIn(request)
        : null,
    has_operator_key: Boolean(base.options.operator_key),
  });

/** Purchases, forward addresses and changes of the configuration reach nobody at a time of day. */
const isSending = (request: GatedRequest): request is AdmissionRequest =>
  (channels as readonly string[]).includes(request.channel);

/** Channels are built after approvals. */
const late = (port: () => WaitingRecords): WaitingRecords => ({
  release: (...args) => port().release(...args),
  cancel: (...args) => port().cancel(...args),
  payload: (ref) => port().payload(ref),
});
