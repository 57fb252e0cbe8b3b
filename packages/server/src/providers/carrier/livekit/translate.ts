// LiveKit's words in ours: why a participant left, as one table.
import type { CallEndReason, CallTrigger } from '@parley/contract/call-records';

export type Leaving = { trigger: CallTrigger; end_reason: CallEndReason };

/** By number as well: some senders write enums so. */
const names = [
  'UNKNOWN_REASON',
  'CLIENT_INITIATED',
  'DUPLICATE_IDENTITY',
  'SERVER_SHUTDOWN',
  'PARTICIPANT_REMOVED',
  'ROOM_DELETED',
  'STATE_MISMATCH',
  'JOIN_FAILURE',
  'MIGRATION',
  'SIGNAL_CLOSE',
  'ROOM_CLOSED',
  'USER_UNAVAILABLE',
  'USER_REJECTED',
  'SIP_TRUNK_FAILURE',
  'CONNECTION_TIMEOUT',
  'MEDIA_FAILURE',
  'AGENT_ERROR',
];

const trunk_failure: Leaving = { trigger: 'broke', end_reason: 'trunk_failure' };
const media_failure: Leaving = { trigger: 'broke', end_reason: 'media_failure' };

const failures: Record<string, Leaving> = {
  SERVER_SHUTDOWN: trunk_failure,
  JOIN_FAILURE: trunk_failure,
  SIGNAL_CLOSE: trunk_failure,
  SIP_TRUNK_FAILURE: trunk_failure,
  CONNECTION_TIMEOUT: trunk_failure,
  MEDIA_FAILURE: media_failure,
  AGENT_ERROR: { trigger: 'broke', end_reason: 'setup_error' },
};

const agents_doing = new Set(['PARTICIPANT_REMOVED', 'ROOM_DELETED', 'ROOM_CLOSED']);

export const reasonName = (reason: string | number | null): string =>
  (typeof reason === 'number' ? names[reason] : reason) ?? names[0]!;

/** What it means that the phone left the room. */
export function leavingOf(reason: string, was_answered: boolean): Leaving {
  const failure = failures[reason];
  if (failure) return failure;
  // Our agent ends a call by closing the room or by sending the phone out of it.
  if (was_answered) {
    return { trigger: 'hung_up', end_reason: agents_doing.has(reason) ? 'agent_hangup' : 'callee_hangup' };
  }
  if (reason === 'USER_UNAVAILABLE') return { trigger: 'rang_out', end_reason: 'ring_timeout' };
  if (reason === 'USER_REJECTED') return { trigger: 'declined', end_reason: 'busy' };
  return { trigger: 'canceled', end_reason: 'canceled' };
}
