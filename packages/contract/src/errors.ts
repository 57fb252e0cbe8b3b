// Every error of the API: its status, its message, when it occurs and what the caller can do next.

import { credentialErrors } from './access/credentials/credential-errors.ts';
import { managedErrors } from './access/managed-errors.ts';
import { agentErrors } from './agents/agent-errors.ts';
import { toolCallErrors } from './agents/tool-call-errors.ts';
import { callControlErrors } from './channels/calls/call-control-errors.ts';
import { callResultErrorCodes } from './channels/calls/call-result-errors.ts';
import { emailErrors } from './channels/emails/email-errors.ts';
import { phoneErrors } from './channels/numbers/phone-errors.ts';
import { verificationErrors } from './channels/numbers/verification-errors.ts';
import { defineErrors } from './error-definition.ts';
import { conversationErrors } from './inbox/conversation-errors.ts';
import { searchErrors } from './inbox/search/search-errors.ts';
import { waitErrors } from './inbox/wait-errors.ts';
import { webhookCertificationErrors } from './operations/webhooks/webhook-errors.ts';
import { receiveRuleErrors } from './rules/receive-rule-errors.ts';
import { sendingErrors } from './rules/sending-errors.ts';
import { schemaErrors } from './schema/subset/schema-errors.ts';

export const errors = defineErrors({
  ...agentErrors,
  ...emailErrors,
  ...phoneErrors,
  ...verificationErrors,
  ...managedErrors,
  ...credentialErrors,
  ...sendingErrors,
  ...callControlErrors,
  ...conversationErrors,
  ...searchErrors,
  ...waitErrors,
  ...toolCallErrors,
  ...receiveRuleErrors,
  ...schemaErrors,
  ...callResultErrorCodes,
  ...webhookCertificationErrors,
  malformed_json: {
    status: 400,
    message: 'The body is not valid JSON.',
    when: 'The body is not valid UTF-8 JSON, or contains a forbidden key such as __proto__.',
    fix: 'Send one well-formed JSON document encoded as UTF-8.',
  },
  malformed_request: {
    status: 400,
    message: 'The request is not valid HTTP.',
    when: 'The request line, a header or the percent-encoding of the path is malformed.',
    fix: 'Check the URL and the headers that your client sends.',
  },
  unauthenticated: {
    status: 401,
    message: 'No valid credential was sent.',
    when: 'The Authorization header is missing, repeated, or contains an unknown credential.',
    fix: 'Send "Authorization: Bearer <key>" with a key of this server. A fresh embedded start prints one.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This credential does not allow that.',
    when: 'The key is valid, but its scopes do not cover the operation.',
    fix: 'Use a key whose scopes include the one in the message.',
  },
  not_found: {
    status: 404,
    message: 'Not found.',
    when: 'The path is unknown, or the id does not exist in your organization.',
    fix: 'Check the path and the id; list the resource to see which ids exist.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not accept this method.',
    when: 'The path exists, but not for the method of the request.',
    fix: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    when: 'Headers or body were sent too slowly.',
    fix: 'Send the request again over a stable connection.',
  },
  contact_exists: {
    status: 409,
    message: 'A contact with this phone or email already exists.',
    when: 'Another contact of the organization has the same phone number or the same email address.',
    fix: 'Use the existing contact (search with GET /v1/contacts?q=), or change the phone number or email address.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running.',
    when: 'A request with the same key has started and has no response yet.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than this operation accepts.',
    when: 'The body exceeds the limit of the operation (1 MiB for JSON, 5 MiB for a batch of emails).',
    fix: 'Send a smaller body.',
  },
  range_not_satisfiable: {
    status: 416,
    message: 'The requested byte range is outside the file.',
    when: 'The Range header of a download starts after the end of the file.',
    fix: 'Request a range within the length given in the Content-Range header, or leave Range out.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The media type of the body is not supported.',
    when: 'The Content-Type of the body is not the one that the operation documents.',
    fix: 'Send the body with "Content-Type: application/json".',
  },
  validation_failed: {
    status: 422,
    message: 'The request is not valid.',
    when: 'A field, query parameter or path parameter is missing, unknown, malformed or out of range.',
    fix: 'Correct every entry of "errors" and send the request again.',
  },
  consent_required: {
    status: 422,
    message: 'recipient_consent must be true.',
    when: 'recipient_consent is missing or not true. Nothing was stored or sent.',
    fix: 'Make sure that the recipient agreed to be contacted, then send recipient_consent: true.',
  },
  recipient_suppressed: {
    status: 422,
    message: 'The recipient must not be contacted.',
    when: 'The recipient opted out, complained, bounced permanently, was rejected by the carrier, or was suppressed by you.',
    fix: 'Do not contact this recipient. If they agreed again, a person or the operator removes the suppression; a program may only after they wrote again, or if a program added it.',
  },
  from_not_allowed: {
    status: 422,
    message: 'This sender cannot be used.',
    when: '"from" is not one of your active numbers with the needed capability, not your custom sender id where one is allowed, and not an address on one of your verified domains.',
    fix: 'Use a number that GET /v1/numbers lists as active, an address on a domain that GET /v1/email-domains lists as verified, or leave "from" out.',
  },
  invalid_cursor: {
    status: 422,
    message: 'The cursor is not valid.',
    when: 'The cursor was not returned by this list, or was changed.',
    fix: 'Send next_cursor of the previous page unchanged, or leave cursor out to start with the newest item.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for a different request.',
    when: 'The same key was sent before to this operation with a different request.',
    fix: 'Use a new key for a new request. Reuse a key only to retry the same request.',
  },
  too_many_webhooks: {
    status: 422,
    message: 'The organization has reached its limit of webhook subscriptions.',
    when: 'The organization already has the maximum number of subscriptions.',
    fix: 'Remove a subscription that is no longer needed, or add event types to an existing one.',
  },
  target_not_allowed: {
    status: 422,
    message: 'This server is not allowed to send to that address.',
    when: 'The webhook URL is in an address range that is blocked for every server or not opened by WEBHOOK_PRIVATE_TARGETS, or must use https.',
    fix: 'Use a public https URL, or ask the operator to open the range with WEBHOOK_PRIVATE_TARGETS.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers are too large.',
    when: 'All request headers together exceed 16 KiB.',
    fix: 'Send fewer or shorter headers.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests.',
    when: 'The caller exceeded the general request rate limit.',
    fix: 'Wait for the number of seconds in Retry-After.',
  },
  too_many_streams: {
    status: 429,
    message: 'Too many event streams are open.',
    when: 'The caller has already opened the maximum number of event streams.',
    fix: 'Close a stream, or share one stream between your readers, and connect again.',
  },
  internal_error: {
    status: 500,
    message: 'Internal error.',
    when: 'An internal error of the service. It is logged with the request id.',
    fix: 'Try again. If it keeps failing, report the request_id.',
  },
  database_unavailable: {
    status: 503,
    message: 'The database cannot be reached right now.',
    when: 'The database is down, restarting or out of connections.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  storage_full: {
    status: 507,
    message: 'There is no space left to store this.',
    when: 'The file, the received email or the recording would exceed the storage quota of the organization, or the disk of the service is full. Nothing was stored.',
    fix: 'At the quota: set a shorter retention, or ask the operator for a larger quota. With a full disk: try again later; the operator must free space, and /readyz reports when there is enough.',
  },
  storage_unavailable: {
    status: 503,
    message: 'The storage of files cannot be used right now.',
    when: 'The folder of stored files is read-only, belongs to another user of the machine or is on a disk with a fault, or the S3 service does not respond. Nothing was stored.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again. The operator finds the reason in the check `storage` of /readyz on the health port.',
  },
  shutting_down: {
    status: 503,
    message: 'This process is shutting down.',
    when: 'The request arrived while the process was shutting down.',
    fix: 'Send the same request again; another process, or this one after its restart, will handle it.',
  },
});

export type ErrorCode = keyof typeof errors;

/** The codes of the entries of `errors` in a 422 response. */
export const problemCodes = {
  required: 'A required field is missing.',
  unknown_field: 'The field is not part of this request; check its spelling.',
  invalid_type: 'The value does not have the documented type.',
  invalid_format: 'The value does not have the documented format.',
  invalid_value: 'The value is not one of the allowed values.',
  too_small: 'The value is below the documented minimum, or too short.',
  too_large: 'The value is above the documented maximum, or too long.',
  forbidden_character: 'The text contains a NUL character or an unpaired surrogate.',
  too_deep: 'The JSON is nested deeper than 32 levels.',
  invalid: 'The value breaks the rule named in the message.',
} as const;
export type ProblemCode = keyof typeof problemCodes;
