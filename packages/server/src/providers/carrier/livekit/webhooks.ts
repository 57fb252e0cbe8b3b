// Reads webhooks of LiveKit and of our agent's worker: checks the token, and translates them to events.
import { isUtf8 } from 'node:buffer';
import type { CallbackReading, CallbackRequest, CarrierEvent } from '../carrier.ts';
import { field, parseJson, textField } from '../carrier-http.ts';
import { isAuthentic, type LiveKitAccess } from './api.ts';
import type { LiveCalls } from './calls.ts';
import { callChanged, callIdOf, leavingOf, phone_identity, reasonName, turnOf } from './translate.ts';

/** `settle` must be called after the events were stored. */
type Reading = { events: CarrierEvent[]; settle(): void };

export function webhookReader(access: LiveKitAccess, live: LiveCalls) {
  return ({ headers: { authorization }, body }: CallbackRequest): CallbackReading => {
    if (typeof authorization !== 'string' || !isUtf8(body) || !isAuthentic(access, authorization, body)) {
      return { outcome: 'forged', detail: 'the token does not match the body' };
    }
    const { events, settle } = readWebhook(live, parseJson(body.toString()));
    const response = () => {
      settle();
      return { content_type: 'application/json', body: '{}' };
    };
    return { outcome: 'authentic', events, response };
  };
}

function readWebhook(live: LiveCalls, json: unknown): Reading {
  const event = textField(json, 'event') ?? '';
  const room = textField(json, 'room', 'name') ?? '';
  const turn = event === 'parley_said' ? turnOf(field(json, 'turn')) : null;
  if (turn) return { events: [{ kind: 'call_turn', provider_call_id: room, turn }], settle() {} };
  if (event === 'parley_do_not_contact' && callIdOf(room) !== null)
    return { events: [{ kind: 'contact_refused', provider_call_id: room }], settle() {} };
  const participant = field(json, 'participant');
  const is_phone = textField(participant, 'identity') === phone_identity;
  if (callIdOf(room) === null || !is_phone) return { events: [], settle() {} };
  if (event === 'participant_joined') return phoneJoined(live, room, participant);
  if (event === 'participant_left') return phoneLeft(live, room, participant);
  return { events: [], settle() {} };
}

function phoneJoined(live: LiveCalls, room: string, participant: unknown): Reading {
  const status = textField(participant, 'attributes', 'sip.callStatus');
  const is_answered = status === 'active';
  const detail = status ?? 'participant_joined';
  return {
    events: [callChanged(room, { trigger: is_answered ? 'answered' : 'rang', end_reason: null, detail })],
    settle: () => {
      if (is_answered) live.get(room)?.answer();
    },
  };
}

function phoneLeft(live: LiveCalls, room: string, participant: unknown): Reading {
  const call = live.get(room);
  const status = textField(participant, 'attributes', 'sip.callStatus');
  const code = field(participant, 'disconnectReason') ?? field(participant, 'disconnect_reason') ?? null;
  const reason = reasonName(code as string | number | null);
  const leaving = leavingOf(reason, call?.is_answered ?? status === 'active');
  return {
    events: [callChanged(room, { ...leaving, detail: reason })],
    settle: () => call?.end({ by: 'them' }),
  };
}
