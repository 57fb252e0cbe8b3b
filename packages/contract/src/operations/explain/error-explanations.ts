// Who caused an error of the API and whether to repeat the request. What happened and the fix are in the table of errors.
import type { ErrorCode } from '../../errors.ts';
import { errors } from '../../errors.ts';
import type { ExplanationDefinition, ExplanationParty, ExplanationRetry } from './explanation-definition.ts';

type Cause = readonly [who: ExplanationParty, retry: ExplanationRetry];

const yours: Cause = ['you', 'now_with_new_key'];
const unknown_id: Cause = ['you', 'no'];
const limit: Cause = ['policy', 'later'];
const rule: Cause = ['policy', 'now_with_new_key'];
const ours: Cause = ['parley', 'later'];
const ours_once: Cause = ['parley', 'now'];

/** Every error that a request to send something can get. */
export const errorCauses = {
  validation_failed: yours,
  malformed_json: yours,
  payload_too_large: yours,
  unsupported_media_type: yours,
  unauthenticated: yours,
  user_not_provisioned: yours,
  organization_not_named: yours,
  insufficient_scope: yours,
  rate_limited: ['you', 'later'],
  not_found: unknown_id,
  idempotency_in_progress: ['you', 'later'],
  idempotency_key_reused: yours,
  shutting_down: ours_once,
  database_unavailable: ours,
  issuer_unavailable: ['provider', 'later'],
  internal_error: ours,
  storage_full: ours,
  storage_unavailable: ours,
  recipient_suppressed: ['recipient', 'no'],
  consent_required: yours,
  consent_not_recorded: rule,
  from_not_allowed: yours,
  sender_not_registered: yours,
  destination_not_allowed: rule,
  recipient_not_in_conversation: rule,
  llm_not_configured: yours,
  agent_not_found: yours,
  provider_not_configured: yours,
  variable_missing: yours,
  schema_not_supported: yours,
  tool_not_found: yours,
  mcp_server_not_found: yours,
  carrier_not_configured: yours,
  mail_not_configured: yours,
  velocity_capped: limit,
  kill_switch: limit,
  insufficient_funds: yours,
  quiet_hours: limit,
  new_recipient_capped: limit,
  recipient_capped: limit,
  budget_exceeded: limit,
  held: ['policy', 'later'],
  not_allowed_by_policy: ['policy', 'no'],
  too_many_approvals: limit,
  invalid_schedule: yours,
  call_not_in_progress: ['none', 'later'],
  call_already_ended: ['none', 'no'],
  command_not_possible: ['none', 'later'],
  transfer_in_progress: ['none', 'later'],
  destination_unknown: yours,
  invalid_email_address: yours,
  invalid_header_text: yours,
  html_too_deep: yours,
  header_not_allowed: yours,
  too_many_headers: yours,
  metadata_too_large: yours,
  too_many_recipients: yours,
  unsubscribe_needs_one_recipient: yours,
  no_sending_domain: yours,
  attachment_not_found: yours,
  attachment_expired: yours,
  attachments_too_large: yours,
  reply_target_not_found: yours,
  email_send_failed: ['provider', 'later'],
  email_unconfirmed: ['provider', 'no'],
  email_not_allowed: limit,
  batch_rejected: yours,
  no_sms_sender: yours,
  nothing_to_answer: yours,
} as const satisfies Partial<Record<ErrorCode, Cause>>;

/** Errors of other requests, by their status. */
function causeByStatus(status: number): Cause {
  if (status >= 500) return ours;
  if (status === 429 || status === 408) return ['you', 'later'];
  return status === 404 ? unknown_id : yours;
}

export function explainError(code: ErrorCode): ExplanationDefinition {
  const { message, status, fix } = errors[code];
  const [who, retry] = (errorCauses as Partial<Record<ErrorCode, Cause>>)[code] ?? causeByStatus(status);
  return { who, summary: message, fix, retry };
}
