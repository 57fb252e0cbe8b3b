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
  malformed_upload: {
    status: 400,
    message: 'The upload is not readable multipart/form-data.',
    when: 'The multipart body has no boundary, is cut short or is malformed.',
    fix: 'Send the file as multipart/form-data, as `curl -F file=@invoice.pdf` does.',
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
  link_expired: {
    status: 403,
    message: 'This link has expired.',
    when: 'A signed link was followed after its time.',
    fix: 'Ask the API for a fresh link.',
  },
  link_invalid: {
    status: 403,
    message: 'This link is not valid.',
    when: 'A signed link was changed or not made by this server.',
    fix: 'Follow the link exactly as the API gave it.',
  },
  notice_refused: {
    status: 403,
    message: 'This notice is not believed.',
    when: 'A notice of a mail provider has no valid signature, or comes from a topic that is not configured.',
    fix: 'Check the topic in the settings; nobody but the provider may post here.',
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
  email_domain_taken: {
    status: 409,
    message: 'This domain or address is already in use.',
    when: 'Another organization has verified the domain or holds the composed address, or you have added it before.',
    fix: 'List your domains with GET /v1/email-domains; otherwise choose another domain or other prefixes.',
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
  attachment_too_large: {
    status: 413,
    message: 'The file is larger than an attachment may be.',
    when: 'An uploaded file exceeds the limit (25 MiB unless the server says otherwise).',
    fix: 'Send a smaller file, or put it somewhere and send a link.',
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
  invalid_cursor: {
    status: 422,
    message: 'The cursor cannot be read.',
    when: 'The cursor was not given out by this list, or was cut or changed.',
    fix: 'Pass next_cursor of the previous page unchanged, or leave cursor out to start at the newest.',
  },
  consent_required: {
    status: 422,
    message: 'recipient_consent must be true.',
    when: 'A call or an email was requested without recipient_consent: true.',
    fix: 'Make sure you may contact the recipient, then send recipient_consent: true.',
  },
  invalid_email_address: {
    status: 422,
    message: 'An address is not exactly one email address.',
    when: 'A sender or recipient is a list, holds line breaks or comments, or cannot be an address.',
    fix: 'Send each recipient as an entry of its own, such as ana@example.com or Ana Sousa <ana@example.com>.',
  },
  invalid_header_text: {
    status: 422,
    message: 'A text holds a line break where none may be.',
    when: 'A subject, name or header value has a CR or LF.',
    fix: 'Remove the line breaks.',
  },
  header_not_allowed: {
    status: 422,
    message: 'A header may not be set.',
    when: 'The header is written by the service itself, or its name is not a header name.',
    fix: 'Leave the header out, or use the field made for it, such as reply_to or in_reply_to.',
  },
  too_many_headers: {
    status: 422,
    message: 'There are too many headers.',
    when: 'The email has more than 20 headers of its own.',
    fix: 'Send fewer headers; use metadata for what only you need.',
  },
  metadata_too_large: {
    status: 422,
    message: 'The metadata is too large.',
    when: 'metadata is more than 16 KiB of JSON.',
    fix: 'Keep only references in metadata.',
  },
  too_many_recipients: {
    status: 422,
    message: 'There are too many recipients.',
    when: 'to, cc and bcc together name more than 50.',
    fix: 'Send several emails.',
  },
  unsubscribe_needs_one_recipient: {
    status: 422,
    message: 'list_unsubscribe is for one recipient.',
    when: 'list_unsubscribe is true and the email goes to several people.',
    fix: 'Send one email to each person, so that each can unsubscribe alone.',
  },
  no_sending_domain: {
    status: 422,
    message: 'There is no verified domain to send from.',
    when: 'The organization has no verified email domain, or the one named is not verified.',
    fix: 'Create one with POST /v1/email-domains and, for a custom one, publish its records and call verify.',
  },
  from_not_allowed: {
    status: 422,
    message: 'This sender is not yours to use.',
    when: 'The from of the request does not belong to the organization or is not verified.',
    fix: 'Leave from out, or name one of your own.',
  },
  recipient_suppressed: {
    status: 422,
    message: 'A recipient is on the suppression list.',
    when: 'The address bounced for good, complained, unsubscribed or was added by hand.',
    fix: 'Leave the recipient out; if it is reachable again, remove it with DELETE /v1/email-suppressions/{suppression_id}.',
  },
  attachment_not_found: {
    status: 422,
    message: 'An attachment does not exist.',
    when: 'attachment_ids names an id that is absent or another organization’s.',
    fix: 'Upload the file with POST /v1/email-attachments and use the id it answers.',
  },
  attachment_expired: {
    status: 422,
    message: 'An attachment has expired.',
    when: 'attachment_ids names an upload that was not used for 30 days.',
    fix: 'Upload the file again.',
  },
  attachments_too_large: {
    status: 422,
    message: 'The attachments are too large together.',
    when: 'The attachments of one email exceed the limit (25 MiB unless the server says otherwise).',
    fix: 'Send fewer or smaller files.',
  },
  reply_target_not_found: {
    status: 422,
    message: 'There is no email to reply to.',
    when: 'in_reply_to is neither an email of yours nor a Message-ID.',
    fix: 'Name the id of an email of yours, or a Message-ID such as <id@example.com>.',
  },
  invalid_time_range: {
    status: 422,
    message: 'The time range is not usable.',
    when: 'from is not before to, or the range is longer than the buckets allow.',
    fix: 'Set from before to: at most 366 days by day, 31 days by hour.',
  },
  domain_required: {
    status: 422,
    message: 'A custom domain needs its name.',
    when: 'kind is custom and domain is missing.',
    fix: 'Send the domain, such as mail.example.com.',
  },
  domain_not_allowed: {
    status: 422,
    message: 'domain does not go with service_mail.',
    when: 'kind is service_mail and domain is given.',
    fix: 'Leave domain out: the address is made from the prefixes.',
  },
  prefix_not_allowed: {
    status: 422,
    message: 'Prefixes do not go with a custom domain.',
    when: 'kind is custom and a prefix is given.',
    fix: 'Leave local_prefix_user and local_prefix_org out.',
  },
  invalid_prefix: {
    status: 422,
    message: 'A prefix cannot be part of an address.',
    when: 'A prefix has other characters than letters, digits, dots, hyphens and underscores, or is too long.',
    fix: 'Use 1 to 30 of a-z, 0-9, dot, hyphen, underscore, beginning and ending with a letter or digit.',
  },
  invalid_domain: {
    status: 422,
    message: 'This is not a domain you can send from.',
    when: 'The name is not a registrable domain name or a name below one, or it belongs to this service.',
    fix: 'Name a domain you control, such as mail.example.com.',
  },
  file_missing: {
    status: 422,
    message: 'The upload has no file.',
    when: 'The multipart body has no part named "file", or a part of another name.',
    fix: 'Send each file as a part named "file".',
  },
  too_many_files: {
    status: 422,
    message: 'The upload has too many files.',
    when: 'More than 10 files in one request.',
    fix: 'Upload the rest with further requests.',
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
  email_send_failed: {
    status: 502,
    message: 'email send failed',
    when: 'The transport refused the message or could not be reached. The email is kept with status failed.',
    fix: 'Read end_reason with GET /v1/emails?status=failed; correct the cause and send again with a new Idempotency-Key.',
  },
  service_mail_prefix_missing: {
    status: 503,
    message: 'No prefix for a service_mail address is configured.',
    when: 'A service_mail domain is created without prefixes and the server has no defaults.',
    fix: 'Send local_prefix_user and local_prefix_org, or set PARLEY_SERVICE_MAIL_PREFIX_USER and PARLEY_SERVICE_MAIL_PREFIX_ORG.',
  },
  mail_not_configured: {
    status: 503,
    message: 'This server has no mail transport.',
    when: 'No transport is set and the sandbox is off.',
    fix: 'Set PARLEY_SMTP_URL (or another PARLEY_MAIL_TRANSPORT) and restart.',
  },
  dns_unavailable: {
    status: 503,
    message: 'DNS did not answer.',
    when: 'None of the records could be looked up.',
    fix: 'Try again in a moment; nothing was changed.',
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
