// Translates between LiveKit and us: rooms and calls, why a participant left, and the turns that our agent reports.
import type { CallEndReason, CallTurn, CarrierTrigger } from '@parley/contract/call-records';
import type { CarrierEvent } from '../carrier.ts';
import { field, textField, uuidOrNull } from '../carrier-http.ts';

/** The identity of the called person in the room. */
export const phone_identity = 'phone';

/** The name of a call's room is LiveKit's id of the call. */
const room_prefix = 'parley-';
export const roomOf = (call_id: string): string => room_prefix + call_id;
export const callIdOf = (room: string): string | null =>
  room.startsWith(room_prefix) ? uuidOrNull(room.slice(room_prefix.length)) : null;

type CallChanged = Extract<CarrierEvent, { kind: 'call_changed' }>;

export const callChanged = (
  room: string,
  change: Pick<CallChanged, 'trigger' | 'end_reason' | 'detail'>,
): CarrierEvent => ({
  kind: 'call_changed',
  provider_call_id: room,
  call_id: callIdOf(room),
  answered_by: null,
  ...change,
});

export type Leaving = { trigger: CarrierTrigger; end_reason: CallEndReason };

/** The names of LiveKit's DisconnectReason, by number: some senders serialize enums as numbers. */
const reason_names = [
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

/** Our agent ends a call by closing the room or by removing the phone from it. */
const agent_reasons = new Set(['PARTICIPANT_REMOVED', 'ROOM_DELETED', 'ROOM_CLOSED']);

export const reasonName = (reason: string | number | null): string =>
  (typeof reason === 'number' ? reason_names[reason] : reason) ?? reason_names[0]!;

/** How the call ended, from the reason why the phone left the room. */
export function leavingOf(reason: string, was_answered: boolean): Leaving {
  const failure = failures[reason];
  if (failure) return failure;
  if (was_answered) {
    return { trigger: 'hung_up', end_reason: agent_reasons.has(reason) ? 'agent_hangup' : 'callee_hangup' };
  }
  if (reason === 'USER_UNAVAILABLE') return { trigger: 'rang_out', end_reason: 'ring_timeout' };
  if (reason === 'USER_REJECTED') return { trigger: 'declined', end_reason: 'busy' };
  return { trigger: 'canceled', end_reason: 'canceled' };
}

/** A turn that our agent's worker reports; null when it is malformed. */
export function turnOf(json: unknown): Omit<CallTurn, 'timings'> | null {
  const speaker = textField(json, 'speaker');
  const text = field(json, 'text');
  const [started_ms, ended_ms] = [field(json, 'started_ms'), field(json, 'ended_ms')];
  if ((speaker !== 'agent' && speaker !== 'person') || typeof text !== 'string') return null;
  if (!Number.isInteger(started_ms) || !Number.isInteger(ended_ms)) return null;
  return {
    speaker,
    text,
    started_ms: started_ms as number,
    ended_ms: ended_ms as number,
    is_interrupted: field(json, 'is_interrupted') === true,
  };
}
