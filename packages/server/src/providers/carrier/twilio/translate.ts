// Translates Twilio's statuses and error codes to ours, with tables from Twilio's documentation.
import type { CallEndReason, CarrierTrigger } from '@parley/contract/channels/calls/call-records';
import type { SmsErrorCode } from '@parley/contract/channels/sms/sms';
import type { TextOutcome } from '../carrier.ts';

/** Error codes of the API and of delivery. */
const errors: Record<string, SmsErrorCode> = {
  '21610': 'recipient_opted_out',
  '21211': 'invalid_recipient',
  '21214': 'invalid_recipient',
  '21217': 'invalid_recipient',
  '21265': 'invalid_recipient',
  '21614': 'invalid_recipient',
  '30005': 'invalid_recipient',
  '30006': 'invalid_recipient',
  '21212': 'invalid_sender',
  '21603': 'invalid_sender',
  '21606': 'invalid_sender',
  '21612': 'invalid_sender',
  '21659': 'invalid_sender',
  '21660': 'invalid_sender',
  '30003': 'unreachable',
  '30004': 'filtered',
  '30007': 'filtered',
  '30038': 'code_withheld',
  '30032': 'sender_not_registered',
  '30034': 'sender_not_registered',
};

export const errorOf = (code: string | null, otherwise: SmsErrorCode): SmsErrorCode =>
  errors[code ?? ''] ?? otherwise;

/** Null for a status that does not change the text. */
export function textOutcome(status: string, error_code: string | null): TextOutcome | null {
  switch (status) {
    case 'sent':
      return { status: 'sent' };
    case 'delivered':
    case 'read':
      return { status: 'delivered' };
    case 'undelivered':
      return {
        status: 'undelivered',
        error_code: errorOf(error_code, 'undelivered'),
        provider_code: error_code,
      };
    case 'failed':
    case 'canceled':
      return { status: 'failed', error_code: errorOf(error_code, 'rejected'), provider_code: error_code };
    default:
      return null;
  }
}

export const live_calls = new Set(['queued', 'initiated', 'ringing', 'in-progress']);

/** Error codes of a number that is not for sale any more. */
export const taken_codes = new Set(['21422', '21423']);

/** Twilio's names for the types of numbers. */
export const number_lists = {
  local: 'Local',
  mobile: 'Mobile',
  national: 'National',
  toll_free: 'TollFree',
} as const;

/** Error codes of a purchase without a bundle or an address that fits. */
export const verification_codes = new Set(['21631', '21649', '21651']);

/** The trigger for each status of a call that has not ended. */
export const callTriggers: Record<string, CarrierTrigger> = {
  initiated: 'dialed',
  ringing: 'rang',
  'in-progress': 'answered',
};

/** Null for a call that has not ended. */
export function callEnding(
  status: string,
  sip_code: string | null,
): { trigger: CarrierTrigger; end_reason: CallEndReason } | null {
  switch (status) {
    case 'completed':
      return { trigger: 'hung_up', end_reason: 'callee_hangup' };
    case 'busy':
      return { trigger: 'declined', end_reason: sip_code === '603' ? 'rejected' : 'busy' };
    case 'no-answer':
      return { trigger: 'rang_out', end_reason: 'ring_timeout' };
    case 'canceled':
      return { trigger: 'canceled', end_reason: 'canceled' };
    case 'failed':
      // 480, 408: the phone is off or not reachable. 404, 410, 484, 604: the number does not exist.
      if (sip_code === '480' || sip_code === '408') return { trigger: 'rang_out', end_reason: 'unreachable' };
      return {
        trigger: 'broke',
        end_reason: ['404', '410', '484', '604'].includes(sip_code ?? '') ? 'unreachable' : 'trunk_failure',
      };
    default:
      return null;
  }
}
