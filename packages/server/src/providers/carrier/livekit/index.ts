// LiveKit as a carrier: it owns the sound, an agent of its own speaks there by our briefing, and its webhooks tell the rest.
import { isUtf8 } from 'node:buffer';
import type { MediaEnd, MediaSession } from '../../media/media-session.ts';
import { type Carrier, type CarrierEvent, unsupported_sms, type VoicePort } from '../carrier.ts';
import { field, textField } from '../carrier-http.ts';
import { listedNumbers } from '../listed-numbers.ts';
import { endingOfSipStatus } from '../sip-status.ts';
import { isAuthentic, type LiveKitAccess, type LiveKitAnswer, liveKitApi } from './api.ts';
import { leavingOf, reasonName } from './translate.ts';

export type LiveKitSettings = LiveKitAccess & {
  sip_trunk_id: string;
  /** The name that our agent's worker registered under. */
  agent_name: string;
  numbers: readonly string[];
};

/** Who the called person is in the room. */
const phone = 'phone';
const answer_grace_ms = 15_000;
/** The room of a call is the carrier's id of it. */
const roomOf = (call_id: string) => `parley-${call_id}`;
const callIn = (room: string): string | null =>
  /^parley-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(room)?.[1] ?? null;

type Live = {
  media: PromiseWithResolvers<MediaSession | null>;
  is_answered: boolean;
  answer(): void;
  end(how: MediaEnd): void;
};

export function liveKitCarrier(
  settings: LiveKitSettings,
  deps: { handleEvents(events: CarrierEvent[]): Promise<void> },
): Carrier {
  const ask = liveKitApi(settings);
  /** Calls that this process placed. */
  const live = new Map<string, Live>();
  const inRoom = (room: string) => ({ video: { roomAdmin: true, roomCreate: true, room } });

  const hangUp: VoicePort['hangUp'] = async (room) => {
    live.get(room)?.end({ by: 'us' });
    const answer = await ask('RoomService/DeleteRoom', inRoom(room), { room });
    if (answer.outcome === 'done') return { outcome: 'ended' };
    if (answer.outcome === 'refused' && answer.code === 'not_found') return { outcome: 'already_ended' };
    return troubleOf(answer);
  };

  const changed = (
    room: string,
    events: Omit<
      Extract<CarrierEvent, { kind: 'call_changed' }>,
      'kind' | 'provider_call_id' | 'call_id' | 'answered_by'
    >,
  ): CarrierEvent => ({
    kind: 'call_changed',
    provider_call_id: room,
    call_id: callIn(room),
    answered_by: null,
    ...events,
  });

  const open = (room: string): void => {
    const media = Promise.withResolvers<MediaSession | null>();
    const closed = Promise.withResolvers<MediaEnd>();
    const session = silentSession(closed.promise, () => void hangUp(room).catch(() => {}));
    const call: Live = {
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
  };

  /** Comes back when the phone was answered, or could not be. */
  const ring = async (room: string, order: Parameters<VoicePort['place']>[0]) => {
    const answer = await ask(
      'SIP/CreateSIPParticipant',
      { ...inRoom(room), sip: { call: true } },
      {
        sip_trunk_id: settings.sip_trunk_id,
        sip_call_to: order.to,
        sip_number: order.from,
        room_name: room,
        participant_identity: phone,
        wait_until_answered: true,
        ringing_timeout: `${order.ring_timeout_seconds}s`,
        max_call_duration: `${order.max_duration_seconds}s`,
      },
      order.ring_timeout_seconds * 1000 + answer_grace_ms,
    );
    if (answer.outcome === 'done') {
      await deps.handleEvents([changed(room, { trigger: 'answered', end_reason: null, detail: 'answered' })]);
      live.get(room)?.answer();
      return;
    }
    // Nobody knows: its webhooks may still tell.
    if (answer.outcome === 'lost') return;
    const ending =
      answer.outcome === 'refused' && answer.sip_status !== null
        ? endingOfSipStatus(answer.sip_status)
        : ({ trigger: 'broke', end_reason: 'setup_error' } as const);
    await deps.handleEvents([changed(room, { ...ending, detail: answer.detail })]);
    live.get(room)?.end({ by: 'them' });
    await hangUp(room);
  };

  const voice: VoicePort = {
    has_own_agent: true,
    async place(order) {
      const room = roomOf(order.call_id);
      const dispatched = await ask('AgentDispatchService/CreateDispatch', inRoom(room), {
        room,
        agent_name: settings.agent_name,
        metadata: JSON.stringify({
          call_id: order.call_id,
          to: order.to,
          from: order.from,
          ...order.briefing,
        }),
      });
      // Without the agent nobody is called, so that an unclear answer can be taken for a no.
      if (dispatched.outcome === 'lost') {
        await hangUp(room);
        return { outcome: 'busy', retry_after_seconds: 1, detail: dispatched.detail };
      }
      if (dispatched.outcome !== 'done') return troubleOf(dispatched);
      open(room);
      void ring(room, order).catch(() => {});
      return { outcome: 'placed', provider_call_id: room };
    },
    find: async () => ({ outcome: 'absent' }),
    // Calls to numbers at LiveKit follow its own dispatch rules.
    accept: async () => ({
      outcome: 'refused',
      code: 'not_supported',
      detail: 'LiveKit answers calls itself',
    }),
    async decline() {},
    media: (room) => live.get(room)?.media.promise ?? Promise.resolve(null),
    hangUp,
  };

  /** The phone is in the room, or left it; `settle` is for once that has been written down. */
  const heard = (
    event: string,
    room: string,
    participant: unknown,
  ): { events: CarrierEvent[]; settle(): void } => {
    const nothing = { events: [], settle() {} };
    if (callIn(room) === null || textField(participant, 'identity') !== phone) return nothing;
    const call = live.get(room);
    const status = textField(participant, 'attributes', 'sip.callStatus');
    if (event === 'participant_joined') {
      const trigger = status === 'active' ? 'answered' : 'rang';
      const events = [changed(room, { trigger, end_reason: null, detail: status ?? event })];
      return { events, settle: () => status === 'active' && call?.answer() };
    }
    if (event !== 'participant_left') return nothing;
    const given = field(participant, 'disconnectReason') ?? field(participant, 'disconnect_reason') ?? null;
    const reason = reasonName(given as string | number | null);
    const leaving = leavingOf(reason, call?.is_answered ?? status === 'active');
    return {
      events: [changed(room, { ...leaving, detail: reason })],
      settle: () => call?.end({ by: 'them' }),
    };
  };

  return {
    name: 'livekit',
    capabilities: {
      simulated: false,
      sms: false,
      sender_names: false,
      answers_opt_out_keywords: false,
      numbers: true,
      verification: false,
      voice: true,
    },
    sms: unsupported_sms,
    numbers: listedNumbers(settings.numbers),
    verification: null,
    voice,
    async callState(room) {
      const answer = await ask('RoomService/ListParticipants', inRoom(room), { room });
      if (answer.outcome === 'refused' && answer.code === 'not_found') return { outcome: 'ended' };
      if (answer.outcome !== 'done') return troubleOf(answer);
      const there = (field(answer.json, 'participants') as unknown[] | undefined) ?? [];
      return { outcome: there.some((each) => textField(each, 'identity') === phone) ? 'live' : 'ended' };
    },
    readCallback({ headers, body }) {
      const { authorization } = headers;
      if (typeof authorization !== 'string' || !isUtf8(body) || !isAuthentic(settings, authorization, body)) {
        return { outcome: 'forged', detail: 'the token does not fit the body' };
      }
      const done = { content_type: 'application/json', body: '{}' };
      const json = parsed(body.toString());
      const event = textField(json, 'event') ?? '';
      const room = textField(json, 'room', 'name') ?? '';
      const turn = event === 'parley_said' ? turnIn(field(json, 'turn')) : null;
      if (turn) {
        const events: CarrierEvent[] = [{ kind: 'call_turn', provider_call_id: room, turn }];
        return { outcome: 'authentic', events, answer: () => done };
      }
      const { events, settle } = heard(event, room, field(json, 'participant'));
      const answer = () => {
        settle();
        return done;
      };
      return { outcome: 'authentic', events, answer };
    },
    openMedia: null,
    listener: null,
  };
}

const troubleOf = (answer: Exclude<LiveKitAnswer, { outcome: 'done' }>) =>
  answer.outcome === 'busy' ? { ...answer, retry_after_seconds: 1 } : answer;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What our agent's worker tells of a turn; null when it is no such thing. */
function turnIn(json: unknown) {
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
  } as const;
}

/** The sound is somewhere else: here the line only lasts, and can be closed. */
function silentSession(closed: Promise<MediaEnd>, close: () => void): MediaSession {
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
