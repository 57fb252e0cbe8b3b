// The errors of numbers, carriers and texts.
import { defineErrors } from './error-definition.ts';

export const phoneErrors = defineErrors({
  callback_not_authentic: {
    status: 403,
    message: 'The signature of this callback is missing, wrong or too old.',
    when: 'A carrier callback was not signed with the carrier’s key over exactly these bytes and this address.',
    fix: 'Set PARLEY_BASE_URL to the address the carrier calls, and the carrier’s token or public key.',
  },
  call_already_ended: {
    status: 409,
    message: 'The call has already ended.',
    when: 'A call that is final cannot be canceled or hung up.',
    fix: 'Read the call: status and end_reason say how it ended.',
  },
  recording_not_found: {
    status: 404,
    message: 'There is no recording of this call.',
    when: 'The call was placed without record, was never answered, or has not ended yet.',
    fix: 'Place the call with record: true and wait until recording_url is set.',
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
    when: 'Only an active number can be released; one that was released or could not be bought cannot be changed.',
    fix: 'Read the number; one that is pending settles by itself. Use another number otherwise.',
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
    when: 'The number cannot exist, is an emergency or short number, charges its callers (premium rate), belongs to a satellite or international network, or lies in a country that this server does not contact.',
    fix: 'Check the number and its country code. The operator names further countries in PARLEY_DESTINATIONS.',
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
  llm_not_configured: {
    status: 422,
    message: 'There is no language model for this call.',
    when: 'The call would go out over a real carrier, and neither the organization nor the call names an LLM provider. The rule-based offline model answers in the sandbox only.',
    fix: 'Set an LLM provider with PUT /v1/providers/llm, or send "llm" with the call. The operator may allow the offline model with PARLEY_OFFLINE_LLM_ON_REAL_CALLS.',
  },
  agent_not_found: {
    status: 422,
    message: 'There is no such agent.',
    when: 'An agent named in the body does not exist in this organization.',
    fix: 'Use an id that GET /v1/agents lists.',
  },
  too_many_waiters: {
    status: 429,
    message: 'Too many requests are waiting.',
    when: 'The organization, or the process, already holds as many waiting requests as it may.',
    fix: 'Let a waiting request end first, or list instead of waiting.',
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
});
