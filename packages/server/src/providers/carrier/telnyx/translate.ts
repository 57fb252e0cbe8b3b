// Translates Telnyx's statuses and error codes to ours, with tables from Telnyx's documentation.
import type { CallEndReason, CarrierTrigger } from '@parley/contract/channels/calls/call-records';
import type { SmsErrorCode } from '@parley/contract/channels/sms/sms';
import type { TextOutcome } from '../carrier.ts';

/** Error codes of the API and of delivery. */
const errors: Record<string, SmsErrorCode> = {
  '40300': 'recipient_opted_out',
  '40001': 'invalid_recipient',
  '40012': 'invalid_recipient',
  '40309': 'invalid_recipient',
  '40310': 'invalid_recipient',
  '40013': 'invalid_sender',
  '40305': 'invalid_sender',
  '40306': 'invalid_sender',
  '40005': 'unreachable',
  '40006': 'unreachable',
  '40008': 'unreachable',
  '40014': 'unreachable',
  '40002': 'filtered',
  '40003': 'filtered',
  '40010': 'sender_not_registered',
  '40015': 'filtered',
  '40322': 'filtered',
};

export const errorOf = (code: string | null, otherwise: SmsErrorCode): SmsErrorCode =>
  errors[code ?? ''] ?? otherwise;

/** Error codes of a full sender queue or a rate limit: the text was not accepted. */
export const busy_codes = new Set(['40011', '40318']);

/** Null for a status that does not change the text. */
export function textOutcome(status: string, error_code: string | null): TextOutcome | null {
  switch (status) {
    case 'sent':
    // The network sent no receipt, so it is only known that the text was sent.
    case 'delivery_unconfirmed':
      return { status: 'sent' };
    case 'delivered':
      return { status: 'delivered' };
    case 'delivery_failed':
      return {
        status: 'undelivered',
        error_code: errorOf(error_code, 'undelivered'),
        provider_code: error_code,
      };
    case 'sending_failed':
      return { status: 'failed', error_code: errorOf(error_code, 'rejected'), provider_code: error_code };
    default:
      return null;
  }
}

const by_sip_code: Record<string, { trigger: CarrierTrigger; end_reason: CallEndReason }> = {
  '486': { trigger: 'declined', end_reason: 'busy' },
  '600': { trigger: 'declined', end_reason: 'busy' },
  '603': { trigger: 'declined', end_reason: 'rejected' },
  '480': { trigger: 'rang_out', end_reason: 'unreachable' },
  '408': { trigger: 'rang_out', end_reason: 'unreachable' },
  '404': { trigger: 'broke', end_reason: 'unreachable' },
  '410': { trigger: 'broke', end_reason: 'unreachable' },
  '484': { trigger: 'broke', end_reason: 'unreachable' },
  '604': { trigger: 'broke', end_reason: 'unreachable' },
};

/** How a call ended, from Telnyx's cause. `normal_clearing` may also be an unanswered call, so the SIP status decides. */
export function callEnding(
  cause: string,
  sip_code: string | null,
): { trigger: CarrierTrigger; end_reason: CallEndReason } {
  switch (cause) {
    case 'user_busy':
      return { trigger: 'declined', end_reason: 'busy' };
    case 'call_rejected':
      return { trigger: 'declined', end_reason: 'rejected' };
    case 'no_answer':
    case 'timeout':
      return { trigger: 'rang_out', end_reason: 'ring_timeout' };
    case 'originator_cancel':
      return { trigger: 'canceled', end_reason: 'canceled' };
    case 'time_limit':
      return { trigger: 'hung_up', end_reason: 'max_duration' };
    case 'not_found':
      return { trigger: 'broke', end_reason: 'unreachable' };
    case 'normal_clearing':
      return by_sip_code[sip_code ?? ''] ?? { trigger: 'hung_up', end_reason: 'callee_hangup' };
    default:
      return by_sip_code[sip_code ?? ''] ?? { trigger: 'broke', end_reason: 'trunk_failure' };
  }
}
