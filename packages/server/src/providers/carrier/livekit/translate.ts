// Translates between LiveKit and us: names of rooms, and how a call ended, from the response to the dial request or from the
// reason why the phone left the room.
import type { CarrierEvent } from '../carrier.ts';
import { uuidOrNull } from '../carrier-http.ts';
import { type Ending, endingOfSipStatus, rang_out, trunk_failure } from '../sip-status.ts';
import type { LiveKitResponse } from './api.ts';

/** The identity of the called person in the room. */
export const phone_identity = 'phone';
export const agent_identity = 'agent';

/** The name of a call's room is LiveKit's id of the call. */
const room_prefix = 'parley-';
/** LiveKit names the rooms of inbound calls with this prefix, our number and a random part. */
export const inbound_prefix = 'parley-in';
export const roomOf = (call_id: string): string => room_prefix + call_id;
const callIdOf = (room: string): string | null =>
  room.startsWith(room_prefix) ? uuidOrNull(room.slice(room_prefix.length)) : null;

type CallChanged = Extract<CarrierEvent, { kind: 'call_changed' }>;

export const callChanged = (
  room: string,
  call_id: string | null,
  change: Pick<CallChanged, 'trigger' | 'end_reason' | 'detail'>,
): CarrierEvent => ({
  kind: 'call_changed',
  provider_call_id: room,
  call_id: call_id ?? callIdOf(room),
  answered_by: null,
  ...change,
});

export type DialOutcome =
  | { outcome: 'answered' }
  | { outcome: 'ended'; ending: Ending; detail: string }
  /** Nothing was dialed; the same request may be sent again. */
  | { outcome: 'busy'; detail: string }
  /** The phone may ring or not. */
  | { outcome: 'unknown'; detail: string };

const setup_error: Ending = { trigger: 'broke', end_reason: 'setup_error' };
const media_failure: Ending = { trigger: 'broke', end_reason: 'media_failure' };
const canceled: Ending = { trigger: 'canceled', end_reason: 'canceled' };

/** The response to CreateSIPParticipant, which waits until the phone was answered. */
export function dialOutcome(response: LiveKitResponse, left_reason: string | null): DialOutcome {
  if (response.outcome === 'done') return { outcome: 'answered' };
  const { detail } = response;
  if (response.outcome === 'busy') return { outcome: 'busy', detail };
  if (response.outcome === 'lost') return { outcome: 'unknown', detail };
  const { code, sip_status } = response;
  // The status of the phone network leads: several statuses share one Twirp code.
  if (sip_status !== null) return { outcome: 'ended', ending: endingOfSipStatus(sip_status), detail };
  if (code === 'deadline_exceeded') return { outcome: 'unknown', detail };
  if (code !== 'canceled') return { outcome: 'ended', ending: setup_error, detail };
  // LiveKit reports a ring timeout without a status.
  if (/timed out|timeout/i.test(detail) || left_reason === 'USER_UNAVAILABLE')
    return { outcome: 'ended', ending: rang_out, detail };
  const ending = /failed to complete/i.test(detail) ? trunk_failure : canceled;
  return { outcome: 'ended', ending, detail };
}

const failures: Readonly<Record<string, Ending>> = {
  SERVER_SHUTDOWN: trunk_failure,
  JOIN_FAILURE: trunk_failure,
  SIGNAL_CLOSE: trunk_failure,
  SIP_TRUNK_FAILURE: trunk_failure,
  CONNECTION_TIMEOUT: trunk_failure,
  MEDIA_FAILURE: media_failure,
  AGENT_ERROR: setup_error,
  UNKNOWN_REASON: trunk_failure,
};

/** How an unanswered call ended, where the phone left the room and no response told more. */
export function endingBeforeAnswer(reason: string): Ending {
  const failure = failures[reason];
  if (failure) return failure;
  if (reason === 'USER_UNAVAILABLE') return rang_out;
  if (reason === 'USER_REJECTED') return { trigger: 'declined', end_reason: 'busy' };
  return canceled;
}

/**
 * Whether the phone hung up an answered call. LiveKit's SIP service gives no reason when it ended the call itself, because no
 * audio came from the phone, and when it crashed.
 */
export const isHangUp = (reason: string): boolean => failures[reason] === undefined;
