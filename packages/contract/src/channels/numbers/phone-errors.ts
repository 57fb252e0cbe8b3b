// The errors of numbers, carriers, calls and texts.
import { defineErrors } from '../../error-definition.ts';

export const phoneErrors = defineErrors({
  callback_not_authentic: {
    status: 403,
    message: 'The signature of this callback is missing, invalid or expired.',
    when: 'A carrier callback was not signed with the carrier’s key over exactly this body and URL.',
    fix: 'Set PARLEY_BASE_URL to the URL the carrier calls, and set the carrier’s token or public key.',
  },
  call_already_ended: {
    status: 409,
    message: 'The call has already ended.',
    when: 'A call in a final state cannot be canceled or hung up.',
    fix: 'Read the call: status and end_reason show how it ended.',
  },
  recording_not_found: {
    status: 404,
    message: 'This call has no recording.',
    when: 'The call was placed without record, was never answered, or has not ended yet.',
    fix: 'Place the call with record: true and wait until recording_url is set.',
  },
  number_taken: {
    status: 409,
    message: 'This number is already sold.',
    when: 'Another customer bought the number first, or it already belongs to this server.',
    fix: 'Request new quotes with POST /v1/numbers/quotes and choose another number.',
  },
  number_not_active: {
    status: 409,
    message: 'The number is not active.',
    when: 'Only an active number can be released; one that was released or could not be bought cannot be changed.',
    fix: 'Read the number. A pending number becomes active or failed without further requests. Otherwise use another number.',
  },
  no_sms_sender: {
    status: 422,
    message: 'No sender is available for this text.',
    when: 'The organization has no active SMS number and no usable custom sender id, and the server has no default sender.',
    fix: 'Buy a number with POST /v1/numbers, or set PARLEY_SMS_DEFAULT_SENDER on the server.',
  },
  destination_not_allowed: {
    status: 422,
    message: 'This number cannot be contacted.',
    when: 'The number is invalid, an emergency or short number, a premium-rate number, belongs to a satellite or international network, or is in a country that this server does not contact.',
    fix: 'Check the number and its country code. The operator can allow more countries with PARLEY_DESTINATIONS.',
  },
  number_not_yours: {
    status: 422,
    message: 'This number does not belong to your organization.',
    when: 'The number is neither an active number of the organization nor the default sender of the sandbox.',
    fix: 'Use a number that GET /v1/numbers lists as active, or effective_default of GET /v1/sms/sender-id.',
  },
  country_not_supported: {
    status: 422,
    message: 'The carrier sells no numbers in this country.',
    when: 'The carriers of this server do not offer numbers in the country.',
    fix: 'Choose another country.',
  },
  number_type_not_supported: {
    status: 422,
    message: 'The carrier does not sell this type of number in this country.',
    when: 'The country is supported, but not with this number_type or these capabilities.',
    fix: 'Choose another number_type or fewer capabilities.',
  },
  no_number_offered: {
    status: 422,
    message: 'No matching number was found.',
    when: 'The carrier currently has no number with this country, type, capabilities and e164.',
    fix: 'Request the available numbers with POST /v1/numbers/quotes.',
  },
  quote_not_usable: {
    status: 422,
    message: 'This quote cannot be used.',
    when: 'The quote has expired, belongs to another organization, or does not match the other fields.',
    fix: 'Request a new quote with POST /v1/numbers/quotes and send only country_code and quote_id.',
  },
  llm_not_configured: {
    status: 422,
    message: 'No language model is configured for this call.',
    when: 'The call would use a real carrier, and neither the organization nor the call sets an LLM provider. The rule-based offline model is used in the sandbox only.',
    fix: 'Set an LLM provider with PUT /v1/providers/llm, or send "llm" with the call. The operator may allow the offline model with PARLEY_OFFLINE_LLM_ON_REAL_CALLS.',
  },
  agent_not_found: {
    status: 422,
    message: 'This agent does not exist.',
    when: 'The body contains the id of an agent that does not exist in this organization.',
    fix: 'Use an id that GET /v1/agents lists.',
  },
  too_many_waiters: {
    status: 429,
    message: 'Too many requests are waiting.',
    when: 'The organization or the process has reached its limit of waiting requests.',
    fix: 'Wait until one of them ends, or list instead of waiting.',
  },
  number_purchase_failed: {
    status: 502,
    message: 'The carrier rejected the purchase.',
    when: 'The carrier did not sell the number. It is stored with provisioning_state failed, and nothing was charged.',
    fix: 'Read failure_reason of the number with GET /v1/numbers, then try another number.',
  },
  carrier_unavailable: {
    status: 503,
    message: 'The carrier cannot be reached right now.',
    when: 'The carrier did not respond, or asked this server to wait.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  carrier_not_configured: {
    status: 503,
    message: 'This server has no carrier.',
    when: 'The sandbox is off and PARLEY_CARRIER is not set, or the selected carrier is not configured.',
    fix: 'Set PARLEY_CARRIER and the credentials of the carrier on the server.',
  },
});
