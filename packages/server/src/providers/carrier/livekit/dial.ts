// Dials the phone of an outbound call from its room, and decides how an unanswered call ended.
import type { CallOrder } from '../carrier.ts';
import { type Ending, trunk_failure } from '../sip-status.ts';
import { roomGrants } from './api.ts';
import { answer, type CallDeps, endCall, type LiveCall } from './live-call.ts';
import { phoneState } from './room-requests.ts';
import { dialOutcome, endingBeforeAnswer, phone_identity } from './translate.ts';

/** LiveKit's server ends the request after 80 s, whatever the ring timeout is. */
export const max_ring_seconds = 75;
/** LiveKit responds when the phone is answered, so the request may take this much longer than the ringing. */
const answer_grace_ms = 15_000;
/** LiveKit's own limit is only a fallback for ours; its SIP service 1.8.0 applies it only until the answer. */
const duration_grace_seconds = 60;
const dial_attempts = 3;
const look_attempts = 3;
const pause_ms = 1000;
/** The response to the dial request knows the SIP status, the room does not. It comes within moments of the phone's leaving. */
const response_wait_ms = 3000;

/** What the phone's leaving means before the answer: the response to the dial request leads, if it comes in time. */
export const outboundFollowUp = (deps: CallDeps, room: string) => ({
  onLeftEarly(reason: string): void {
    deps.clock.after(response_wait_ms, () => {
      const call = deps.live.get(room);
      if (call?.state === 'waiting' && call.left_reason === reason)
        endUnanswered(deps, call, endingBeforeAnswer(reason), reason);
    });
  },
  ended: () => void deps.live.delete(room),
});

export async function callPhone(deps: CallDeps, call: LiveCall, order: CallOrder): Promise<void> {
  for (let attempt = 1; call.state === 'waiting'; attempt++) {
    const dialed = dialOutcome(await requestDial(deps, call.room, order), call.left_reason);
    if (dialed.outcome === 'answered') return answer(deps, call);
    if (dialed.outcome === 'ended') return endUnanswered(deps, call, dialed.ending, dialed.detail);
    if (dialed.outcome === 'unknown') return lookForPhone(deps, call, dialed.detail);
    if (attempt === dial_attempts) return endUnanswered(deps, call, trunk_failure, dialed.detail);
    await pause(deps);
  }
}

const requestDial = ({ request, sip_trunk_id }: CallDeps, room: string, order: CallOrder) => {
  const ring_seconds = Math.min(order.ring_timeout_seconds, max_ring_seconds);
  return request(
    'SIP/CreateSIPParticipant',
    { ...roomGrants(room), sip: { call: true } },
    {
      sip_trunk_id,
      sip_call_to: order.to,
      sip_number: order.from,
      room_name: room,
      participant_identity: phone_identity,
      wait_until_answered: true,
      ringing_timeout: `${ring_seconds}s`,
      max_call_duration: `${order.max_duration_seconds + duration_grace_seconds}s`,
    },
    ring_seconds * 1000 + answer_grace_ms,
  );
};

/** The response was lost, so the phone may ring. If it is in the room, the room tells the rest; it is never dialed again. */
async function lookForPhone(deps: CallDeps, call: LiveCall, detail: string): Promise<void> {
  for (let look = 1; call.state === 'waiting' && look <= look_attempts; look++) {
    if (call.attributes !== null) return;
    const state = await phoneState(deps.request, call.room);
    if (state.outcome === 'live') return;
    await pause(deps);
  }
  if (call.attributes === null) endUnanswered(deps, call, trunk_failure, detail);
}

const pause = ({ clock }: CallDeps) => new Promise<void>((resolve) => clock.after(pause_ms, resolve));

function endUnanswered(deps: CallDeps, call: LiveCall, ending: Ending, detail: string): void {
  if (call.state === 'waiting') endCall(deps, call, { by: 'them' }, ending, detail);
}
