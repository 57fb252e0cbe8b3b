// Every error the service can answer with: its status, what it says, when it happens and what the caller can do next.

import { credentialErrors } from './credential-errors.ts';
import { emailErrors } from './email-errors.ts';
import { defineErrors } from './error-definition.ts';
import { managedErrors } from './managed-errors.ts';
import { phoneErrors } from './phone-errors.ts';

export const errors = defineErrors({
  ...emailErrors,
  ...phoneErrors,
  ...managedErrors,
  ...credentialErrors,
  malformed_json: {
    status: 400,
    message: 'The body is not readable JSON.',
    when: 'The body cannot be parsed as UTF-8 JSON, or holds a forbidden key such as __proto__.',
    fix: 'Send one well-formed JSON document encoded as UTF-8.',
  },
  malformed_request: {
    status: 400,
    message: 'The request is not readable HTTP.',
    when: 'The request line, a header or the percent-encoding of the path cannot be read.',
    fix: 'Check the URL and the headers that your client sends.',
  },
  unauthenticated: {
    status: 401,
    message: 'No valid credential was given.',
    when: 'The Authorization header is missing, repeated, or holds a credential nobody issued.',
    fix: 'Send "Authorization: Bearer <key>" with a key this server knows; a fresh embedded start prints one.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This credential may not do that.',
    when: 'The key is valid, but its scopes do not cover the operation.',
    fix: 'Use a key whose scopes include the one named in the message.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing here.',
    when: 'The path is unknown, or the id is absent or belongs to another organization.',
    fix: 'Check the path and the id; list the resource to see which ids exist.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    when: 'Headers or body were sent too slowly.',
    fix: 'Send the request again over a steadier connection.',
  },
  contact_exists: {
    status: 409,
    message: 'A contact with this phone or email already exists.',
    when: 'Another contact of the organization has the same phone number or the same email address.',
    fix: 'Use the contact that exists (search with GET /v1/contacts?q=) or change the phone or email.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running.',
    when: 'A request with the same key began and has no answer yet.',
    fix: 'Wait for the time in Retry-After and send the same request again.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than this operation accepts.',
    when: 'The body exceeds the limit of the operation (1 MiB for JSON).',
    fix: 'Send a smaller body.',
  },
  range_not_satisfiable: {
    status: 416,
    message: 'The file does not have these bytes.',
    when: 'The Range header of a download begins behind the end of the file.',
    fix: 'Ask for a range within the length that the Content-Range header tells, or leave Range out.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'This operation does not read that media type.',
    when: 'A body came with a Content-Type other than the one the operation documents.',
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
    when: 'recipient_consent is missing or anything but true. Nothing was stored or sent.',
    fix: 'Make sure that the recipient agreed to be contacted, then send recipient_consent: true.',
  },
  recipient_suppressed: {
    status: 422,
    message: 'The recipient must not be contacted.',
    when: 'The recipient opted out, complained, bounced for good, was refused by the carrier, or was suppressed by you.',
    fix: 'Do not contact this recipient. Where they agreed again, remove the suppression first.',
  },
  from_not_allowed: {
    status: 422,
    message: 'This sender cannot be used.',
    when: '"from" is not an active number of yours that can do this, your custom sender id where that is allowed, or an address on a verified domain of yours.',
    fix: 'Use a number that GET /v1/numbers lists as active, an address on a domain that GET /v1/email-domains lists as verified, or leave "from" out.',
  },
  invalid_cursor: {
    status: 422,
    message: 'The cursor cannot be read.',
    when: 'The cursor was not given out by this list, or was cut or changed.',
    fix: 'Pass next_cursor of the previous page unchanged, or leave cursor out to start at the newest.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another body.',
    when: 'The same key came before on this operation with a different request.',
    fix: 'Use a new key for a new request; keep the key only for retries of the same one.',
  },
  too_many_webhooks: {
    status: 422,
    message: 'The organization has as many webhook subscriptions as it may have.',
    when: 'Another subscription would go over the limit of the organization.',
    fix: 'Remove a subscription that is no longer needed, or add event types to one that exists.',
  },
  target_not_allowed: {
    status: 422,
    message: 'This server may not send to that address.',
    when: 'The address of a webhook is plainly one that WEBHOOK_PRIVATE_TARGETS or the rules for every server exclude, or needs https.',
    fix: 'Use a public https address, or ask the operator to open the range with WEBHOOK_PRIVATE_TARGETS.',
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
    when: 'The caller went over the general request ceiling.',
    fix: 'Wait for the number of seconds in Retry-After.',
  },
  too_many_streams: {
    status: 429,
    message: 'Too many event streams are open.',
    when: 'The caller already holds as many event streams open as one caller may.',
    fix: 'Close a stream, or share one among your readers, and connect again.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.',
    when: 'A fault of the service. It is logged with the request id.',
    fix: 'Try again; if it stays, report the request_id.',
  },
  database_unavailable: {
    status: 503,
    message: 'The database cannot be reached right now.',
    when: 'The database is down, restarting or out of connections.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  storage_full: {
    status: 507,
    message: 'The disk of the service is full.',
    when: 'A file or a record could not be stored because the disk, or its quota, has no room left. Nothing was stored.',
    fix: 'Try again later; the operator must make room. /readyz tells when there is room again.',
  },
  storage_quota_exceeded: {
    status: 507,
    message: 'The organization stores as much as it may.',
    when: 'The file, the received email or the recording would go over the quota of the organization (PARLEY_STORAGE_QUOTA_MB). Nothing was stored.',
    fix: 'Wait until unused attachments expire, or ask the operator for a larger quota.',
  },
  shutting_down: {
    status: 503,
    message: 'This process is shutting down.',
    when: 'The request arrived while the process was finishing its last ones.',
    fix: 'Send the same request again; another process or the restarted one will take it.',
  },
});

export type ErrorCode = keyof typeof errors;

/** What a single entry of `errors` in a 422 answer can say. */
export const problemCodes = {
  required: 'A field that must be there is missing.',
  unknown_field: 'The field is not part of this request; check its spelling.',
  invalid_type: 'The value has another type than documented.',
  invalid_format: 'The value does not have the documented form.',
  invalid_value: 'The value is not one of those allowed.',
  too_small: 'The value is below the documented minimum, or too short.',
  too_large: 'The value is above the documented maximum, or too long.',
  forbidden_character: 'The text holds a NUL or half of a surrogate pair.',
  too_deep: 'The JSON is nested deeper than 32 levels.',
  invalid: 'The value breaks a rule named in the message.',
} as const;
export type ProblemCode = keyof typeof problemCodes;
