// Requests about the room of one call: whether the phone is in it, and deleting it, which hangs up.
import type { VoicePort } from '../carrier.ts';
import type { CarrierFailure } from '../carrier-failure.ts';
import { field, textField } from '../carrier-http.ts';
import { failureOf, type LiveKitApi, roomGrants } from './api.ts';
import { phone_identity } from './translate.ts';

/** While LiveKit or its Redis is down, nobody can hang up the phone, so it is hung up soon after they are back. */
const retry_pause_ms = 3000;
/** 20 minutes. LiveKit's SIP service 1.8.0 does not end an answered call by its limit of the duration. */
const max_retries = 400;

/** Refusals that do not pass. While LiveKit cannot reach Redis or its other nodes, it refuses with many other codes. */
const final_errors = new Set(['unauthenticated', 'permission_denied', 'bad_route', 'malformed']);

export async function deleteRoom(request: LiveKitApi, room: string): ReturnType<VoicePort['hangUp']> {
  const response = await request('RoomService/DeleteRoom', roomGrants(room), { room });
  if (response.outcome === 'done') return { outcome: 'ended' };
  if (response.outcome === 'refused' && response.code === 'not_found') return { outcome: 'already_ended' };
  return failureOf(response);
}

/** How often a room must be found empty after a failure, one retry apart: a server whose Redis is back learns late of its rooms. */
const looks_after_failure = 10;

/** Deletes a room for whose end nothing waits. Repeats the request until the phone is gone. */
export async function deleteRoomSurely(request: LiveKitApi, room: string, has_failed = false): Promise<void> {
  let looks = has_failed ? looks_after_failure : 1;
  for (let retry = 0; retry < max_retries; retry++) {
    const deleted = await deleteRoom(request, room);
    if (deleted.outcome === 'refused' && final_errors.has(deleted.code)) return;
    const is_deleted = deleted.outcome === 'ended' || deleted.outcome === 'already_ended';
    if (is_deleted && (await phoneState(request, room)).outcome === 'ended' && --looks === 0) return;
    // A stop of the process does not wait for it.
    await new Promise((resolve) => setTimeout(resolve, retry_pause_ms).unref());
  }
}

/** Hangs up the phone, and keeps the room. False where LiveKit did not do it. */
export async function removePhone(request: LiveKitApi, room: string, identity: string): Promise<boolean> {
  const response = await request('RoomService/RemoveParticipant', roomGrants(room), { room, identity });
  return response.outcome === 'done';
}

/** Whether the phone is in the room. */
export async function phoneState(
  request: LiveKitApi,
  room: string,
): Promise<{ outcome: 'live' } | { outcome: 'ended' } | CarrierFailure> {
  const response = await request('RoomService/ListParticipants', roomGrants(room), { room });
  if (response.outcome === 'refused' && response.code === 'not_found') return { outcome: 'ended' };
  if (response.outcome !== 'done') return failureOf(response);
  return participantsIn(response.json).some(isPhone) ? { outcome: 'live' } : { outcome: 'ended' };
}

export const participantsIn = (json: unknown): unknown[] =>
  (field(json, 'participants') as unknown[] | undefined) ?? [];

export const isPhone = (participant: unknown): boolean =>
  textField(participant, 'identity') === phone_identity || textField(participant, 'kind') === 'SIP';
