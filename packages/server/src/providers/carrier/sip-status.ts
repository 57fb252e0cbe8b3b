// What a SIP status means for a call, as one table, for the SIP trunk and for carriers that report SIP statuses.

/** Triggers and reasons of the call lifecycle that end a call. */
export type EndTrigger = 'hung_up' | 'declined' | 'rang_out' | 'broke' | 'canceled';
export type EndReason =
  | 'callee_hangup'
  | 'agent_hangup'
  | 'api_hangup'
  | 'max_duration'
  | 'silence_timeout'
  | 'voicemail'
  | 'busy'
  | 'rejected'
  | 'ring_timeout'
  | 'unreachable'
  | 'canceled'
  | 'setup_error'
  | 'trunk_failure'
  | 'media_failure'
  | 'force_closed';

export type Ending = { trigger: EndTrigger; end_reason: EndReason };

const busy: Ending = { trigger: 'declined', end_reason: 'busy' };
const rejected: Ending = { trigger: 'declined', end_reason: 'rejected' };
const unreachable: Ending = { trigger: 'rang_out', end_reason: 'unreachable' };
export const rang_out: Ending = { trigger: 'rang_out', end_reason: 'ring_timeout' };
const no_such_number: Ending = { trigger: 'broke', end_reason: 'unreachable' };
const no_common_media: Ending = { trigger: 'broke', end_reason: 'media_failure' };
const refused_set_up: Ending = { trigger: 'broke', end_reason: 'setup_error' };
export const trunk_failure: Ending = { trigger: 'broke', end_reason: 'trunk_failure' };

export const endings_by_code: Readonly<Record<number, Ending>> = {
  404: no_such_number,
  408: unreachable,
  410: no_such_number,
  415: no_common_media,
  480: unreachable,
  484: no_such_number,
  485: no_such_number,
  486: busy,
  // We sent no CANCEL, so a server between us and the phone stopped ringing.
  487: rang_out,
  488: no_common_media,
  600: busy,
  603: rejected,
  604: no_such_number,
  606: no_common_media,
  607: rejected,
  608: rejected,
};

/** How a final response to our INVITE, other than 2xx, ends the call. */
export function endingOfSipStatus(code: number): Ending {
  const listed = endings_by_code[code];
  if (listed) return listed;
  if (code >= 600) return rejected;
  return code >= 500 ? trunk_failure : refused_set_up;
}
