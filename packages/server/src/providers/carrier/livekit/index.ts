// LiveKit as a carrier: this process joins the room of each call with LiveKit's client library, and LiveKit's SIP service
// connects the phone.
import type { Log } from '../../../platform/log.ts';
import type { MediaClock } from '../../media/media-clock.ts';
import type { Carrier, CarrierEvent } from '../carrier.ts';
import { callOnlyCarrier } from '../carrier-kinds.ts';
import { failureOf, type LiveKitAccess, liveKitApi } from './api.ts';
import { type InboundSettings, inboundCalls } from './inbound.ts';
import type { RoomPort } from './room-port.ts';
import { phoneState } from './room-requests.ts';
import { liveKitVoice } from './voice.ts';

export type LiveKitSettings = LiveKitAccess & {
  /** The outbound trunk; null where only inbound calls are set up. */
  sip_trunk_id: string | null;
  /** Null: inbound calls are not answered. */
  inbound: InboundSettings | null;
  numbers: readonly string[];
};

export type LiveKitDeps = {
  rooms: RoomPort;
  clock: MediaClock;
  log: Log;
  handleEvents(events: CarrierEvent[]): Promise<void>;
  /** How many more calls this process can run now. */
  freeCalls(): number;
  /** Keeps a place for a call that this process has promised to take. Returns how to give it back. */
  keepPlace(): () => void;
  /** Runs work in one process at a time, among all processes of this service. */
  oneAtATime(work: () => Promise<void>): Promise<void>;
};

export function liveKitCarrier(settings: LiveKitSettings, deps: LiveKitDeps): Carrier {
  const request = liveKitApi(settings);
  const { sip_trunk_id, inbound } = settings;
  const calls = liveKitVoice({ ...deps, access: settings, sip_trunk_id, request });
  const answering = inbound && inboundCalls({ ...deps, ...calls.deps }, inbound);
  return {
    name: 'livekit',
    ...callOnlyCarrier(settings.numbers),
    voice: calls.voice,
    async check() {
      const response = await request(
        'RoomService/ListRooms',
        { video: { roomList: true } },
        { names: ['parley'] },
      );
      return response.outcome === 'done' ? { outcome: 'done' } : failureOf(response);
    },
    callState: (room) => phoneState(request, room),
    readCallback: null,
    listener: {
      async start() {
        await deps.rooms.load();
        await answering?.start();
      },
      stop: async () => answering?.stop(),
      problem: () => answering?.problem() ?? null,
    },
  };
}
