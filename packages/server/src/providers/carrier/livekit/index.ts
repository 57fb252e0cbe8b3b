// LiveKit as a carrier: an agent in a LiveKit room speaks with our briefing, and LiveKit's webhooks report the call.
import type { Carrier, CarrierEvent } from '../carrier.ts';
import { field, textField } from '../carrier-http.ts';
import { callOnlyCarrier } from '../carrier-kinds.ts';
import { failureOf, type LiveKitAccess, liveKitApi, roomGrants } from './api.ts';
import { liveKitCalls } from './calls.ts';
import { phone_identity } from './translate.ts';
import { webhookReader } from './webhooks.ts';

export type LiveKitSettings = LiveKitAccess & {
  sip_trunk_id: string;
  /** The name under which the agent's worker is registered at LiveKit. */
  agent_name: string;
  numbers: readonly string[];
};

export function liveKitCarrier(
  settings: LiveKitSettings,
  deps: { handleEvents(events: CarrierEvent[]): Promise<void> },
): Carrier {
  const request = liveKitApi(settings);
  const calls = liveKitCalls({ ...deps, settings, request });
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
    async callState(room) {
      const response = await request('RoomService/ListParticipants', roomGrants(room), { room });
      if (response.outcome === 'refused' && response.code === 'not_found') return { outcome: 'ended' };
      if (response.outcome !== 'done') return failureOf(response);
      const participants = (field(response.json, 'participants') as unknown[] | undefined) ?? [];
      const has_phone = participants.some((each) => textField(each, 'identity') === phone_identity);
      return { outcome: has_phone ? 'live' : 'ended' };
    },
    readCallback: webhookReader(settings, calls.live),
    listener: null,
  };
}
