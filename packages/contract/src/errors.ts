// Every error the service can answer with: its status, what it says, when it happens and what the caller can do next.

export type ErrorDefinition = {
  /** HTTP status of the answer. */
  status: number;
  /** What `detail` says unless the situation knows better. */
  message: string;
  /** When it happens, for the reference. */
  when: string;
  /** What the caller can do next; part of every answer. */
  fix: string;
};

export const defineErrors = <const T extends Record<string, ErrorDefinition>>(table: T): T => table;

export const errors = defineErrors({
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
  callback_not_authentic: {
    status: 403,
    message: 'The signature of this callback is missing, wrong or too old.',
    when: 'A carrier callback was not signed with the carrier’s key over exactly these bytes and this address.',
    fix: 'Set PARLEY_BASE_URL to the address the carrier calls, and the carrier’s token or public key.',
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
  number_taken: {
    status: 409,
    message: 'This number is already sold.',
    when: 'Somebody else bought the number first, or it already belongs to this server.',
    fix: 'Ask for new quotes with POST /v1/numbers/quotes and take another number.',
  },
  number_not_active: {
    status: 409,
    message: 'The number is not active.',
    when: 'Only an active number can be released.',
    fix: 'Read the number; one that is pending settles by itself.',
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
    when: 'The recipient opted out, refused us at the carrier, or was suppressed by you.',
    fix: 'Do not contact this recipient. Where they agreed again, remove the suppression first.',
  },
  from_not_allowed: {
    status: 422,
    message: 'This sender cannot be used.',
    when: '"from" is not an active number of yours that can do this, nor your custom sender id where that is allowed.',
    fix: 'Use one of the numbers that GET /v1/numbers lists as active, or leave "from" out.',
  },
  no_sms_sender: {
    status: 422,
    message: 'There is no sender for this text.',
    when: 'The organization has no active SMS number, no usable custom sender id, and the server no default sender.',
    fix: 'Buy a number with POST /v1/numbers, or set PARLEY_SMS_DEFAULT_SENDER on the server.',
  },
  destination_not_allowed: {
    status: 422,
    message: 'This number cannot be contacted.',
    when: 'The number cannot exist, is an emergency or short number, or charges its callers (premium rate).',
    fix: 'Check the number and its country code.',
  },
  number_not_yours: {
    status: 422,
    message: 'This is not a number of yours.',
    when: 'The number is neither an active number of the organization nor the default sender of the sandbox.',
    fix: 'Use a number that GET /v1/numbers lists as active, or effective_default of GET /v1/sms/sender-id.',
  },
  country_not_supported: {
    status: 422,
    message: 'The carrier sells no numbers in this country.',
    when: 'No carrier of this server offers numbers in the country.',
    fix: 'Choose another country.',
  },
  number_type_not_supported: {
    status: 422,
    message: 'The carrier does not sell this kind of number there.',
    when: 'The country is served, but not with this number_type or these capabilities.',
    fix: 'Choose another number_type or fewer capabilities.',
  },
  no_number_offered: {
    status: 422,
    message: 'No number fits.',
    when: 'The carrier has no number with this country, type, capabilities and e164 right now.',
    fix: 'Ask POST /v1/numbers/quotes what there is.',
  },
  quote_not_usable: {
    status: 422,
    message: 'This quote cannot be used.',
    when: 'The quote has expired, is not yours, or does not agree with the other fields.',
    fix: 'Ask for a new quote with POST /v1/numbers/quotes and send only country_code and quote_id.',
  },
  verification_required: {
    status: 422,
    message: 'This number needs an approved verification.',
    when: 'The country asks who uses a number of this type, and the organization has no approved verification for it.',
    fix: 'Hand one in with POST /v1/verifications and buy once it is approved.',
  },
  verification_not_supported: {
    status: 422,
    message: 'The carrier takes no verifications through this service.',
    when: 'The active carrier has no such interface here.',
    fix: 'Complete the verification in the carrier’s own console.',
  },
  agent_not_found: {
    status: 422,
    message: 'There is no such agent.',
    when: 'An agent named in the body does not exist in this organization.',
    fix: 'Use an id that GET /v1/agents lists.',
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
  too_many_waiters: {
    status: 429,
    message: 'Too many requests are waiting.',
    when: 'The organization, or the process, already holds as many waiting requests as it may.',
    fix: 'Let a waiting request end first, or list instead of waiting.',
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
  number_purchase_failed: {
    status: 502,
    message: 'The carrier refused the purchase.',
    when: 'The carrier did not sell the number. It is kept with provisioning_state failed, and nothing was charged.',
    fix: 'Read failure_reason of the number with GET /v1/numbers, then try another number.',
  },
  carrier_unavailable: {
    status: 503,
    message: 'The carrier cannot be reached right now.',
    when: 'The carrier did not answer, or asked us to wait.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  carrier_not_configured: {
    status: 503,
    message: 'This server has no carrier.',
    when: 'The sandbox is off and PARLEY_CARRIER is not set, or the named carrier is not set up.',
    fix: 'Set PARLEY_CARRIER and the credentials of the carrier on the server.',
  },
  database_unavailable: {
    status: 503,
    message: 'The database cannot be reached right now.',
    when: 'The database is down, restarting or out of connections.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
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
