// Calls over LiveKit: dispatches the agent into a room, lets LiveKit call the phone into it, and ends the room.
import type { MediaEnd, MediaSession } from '../../media/media-session.ts';
import type { CallOrder, CarrierEvent, VoicePort } from '../carrier.ts';
import { endingOfSipStatus } from '../sip-status.ts';
import { failureOf, type LiveKitApi, roomGrants } from './api.ts';
import { callChanged, phone_identity, roomOf } from './translate.ts';

/** A call that this process placed. */
export type LiveCall = {
  media: PromiseWithResolvers<MediaSession | null>;
  is_answered: boolean;
  answer(): void;
  end(how: MediaEnd): void;
};
export type LiveCalls = Map<string, LiveCall>;

type Deps = {
  settings: { sip_trunk_id: string; agent_name: string };
  request: LiveKitApi;
  handleEvents(events: CarrierEvent[]): Promise<void>;
};

/** LiveKit responds when the phone is answered, so the request may take this much longer than the ringing. */
const answer_grace_ms = 15_000;

export function liveKitCalls(deps: Deps) {
  const live: LiveCalls = new Map();
  const hangUp: VoicePort['hangUp'] = (room) => endCall(deps, live, room);
  const voice: VoicePort = {
    has_own_agent: true,
    async place(order) {
      const room = roomOf(order.call_id);
      const dispatched = await dispatchAgent(deps, room, order);
      // Without the agent the phone is not called, so an unknown outcome can be treated as not done.
      if (dispatched.outcome === 'lost') {
        await hangUp(room);
        return { outcome: 'busy', retry_after_seconds: 1, detail: dispatched.detail };
      }
      if (dispatched.outcome !== 'done') return failureOf(dispatched);
      addCall(live, room, () => void hangUp(room).catch(() => {}));
      void callPhone(deps, live, room, order).catch(() => {});
      return { outcome: 'placed', provider_call_id: room };
    },
    find: async () => ({ outcome: 'absent' }),
    // LiveKit's own dispatch rules handle inbound calls.
    accept: async () => ({
      outcome: 'refused',
      code: 'not_supported',
      detail: 'LiveKit answers calls itself',
    }),
    async decline() {},
    media: (room) => live.get(room)?.media.promise ?? Promise.resolve(null),
    hangUp,
  };
  return { live, voice };
}

const dispatchAgent = ({ request, settings }: Deps, room: string, order: CallOrder) =>
  request('AgentDispatchService/CreateDispatch', roomGrants(room), {
    room,
    agent_name: settings.agent_name,
    metadata: JSON.stringify({
      call_id: order.call_id,
      to: order.to,
      from: order.from,
      ...order.briefing,
    }),
  });

function addCall(live: LiveCalls, room: string, hangUp: () => void): void {
  const media = Promise.withResolvers<MediaSession | null>();
  const closed = Promise.withResolvers<MediaEnd>();
  const session = sessionWithoutAudio(closed.promise, hangUp);
  const call: LiveCall = {
    media,
    is_answered: false,
    answer() {
      call.is_answered = true;
      media.resolve(session);
    },
    end(how) {
      live.delete(room);
      media.resolve(null);
      closed.resolve(how);
    },
  };
  live.set(room, call);
}

/** Resolves when the phone was answered or the call failed. */
async function callPhone(deps: Deps, live: LiveCalls, room: string, order: CallOrder): Promise<void> {
  const response = await deps.request(
    'SIP/CreateSIPParticipant',
    { ...roomGrants(room), sip: { call: true } },
    {
      sip_trunk_id: deps.settings.sip_trunk_id,
      sip_call_to: order.to,
      sip_number: order.from,
      room_name: room,
      participant_identity: phone_identity,
      wait_until_answered: true,
      ringing_timeout: `${order.ring_timeout_seconds}s`,
      max_call_duration: `${order.max_duration_seconds}s`,
    },
    order.ring_timeout_seconds * 1000 + answer_grace_ms,
  );
  if (response.outcome === 'done') {
    await deps.handleEvents([
      callChanged(room, { trigger: 'answered', end_reason: null, detail: 'answered' }),
    ]);
    live.get(room)?.answer();
    return;
  }
  // Unknown: LiveKit's webhooks may still report the call.
  if (response.outcome === 'lost') return;
  const ending =
    response.outcome === 'refused' && response.sip_status !== null
      ? endingOfSipStatus(response.sip_status)
      : ({ trigger: 'broke', end_reason: 'setup_error' } as const);
  await deps.handleEvents([callChanged(room, { ...ending, detail: response.detail })]);
  live.get(room)?.end({ by: 'them' });
  await endCall(deps, live, room);
}

async function endCall({ request }: Deps, live: LiveCalls, room: string): ReturnType<VoicePort['hangUp']> {
  live.get(room)?.end({ by: 'us' });
  const response = await request('RoomService/DeleteRoom', roomGrants(room), { room });
  if (response.outcome === 'done') return { outcome: 'ended' };
  if (response.outcome === 'refused' && response.code === 'not_found') return { outcome: 'already_ended' };
  return failureOf(response);
}

/** The audio stays at LiveKit. This session only reports the end of the call, and can end it. */
function sessionWithoutAudio(closed: Promise<MediaEnd>, close: () => void): MediaSession {
  return {
    onFrame() {},
    onDigit() {},
    onPlayed() {},
    write() {},
    mark: async () => 'played',
    clear() {},
    played_ms: () => 0,
    async sendDigits() {},
    close,
    closed,
  };
}
