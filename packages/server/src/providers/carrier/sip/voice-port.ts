// The trunk behind the voice part of the carrier port: orders in, events of the call lifecycle out.
import type { MediaSession } from '../../media/media-session.ts';
import type { CallOrder, CarrierEvent, VoicePort } from '../carrier.ts';
import type { CallEvent } from './call.ts';
import type { DecideInbound } from './inbound-call.ts';
import type { SipTrunk } from './trunk.ts';

type AcceptedCall = {
  call_id: string;
  max_duration_ms: number;
  media: PromiseWithResolvers<MediaSession | null>;
};

type Report = (provider_call_id: string, call_id: string, event: CallEvent) => void;

export function sipVoice(
  trunk: Pick<SipTrunk, 'dial' | 'media' | 'hangUp' | 'state'>,
  handleEvents: (events: CarrierEvent[]) => Promise<void>,
): VoicePort & {
  callState(provider_call_id: string): Promise<{ outcome: 'live' | 'ended' }>;
  decideInbound: DecideInbound;
} {
  /** Inbound calls that were accepted and are not connected yet. */
  const accepted = new Map<string, AcceptedCall>();
  /** The status for inbound calls that were declined, until they are refused with it. */
  const declined = new Map<string, 503 | 603>();
  const report: Report = (provider_call_id, call_id, event) =>
    void handleEvents([carrierEvent(provider_call_id, call_id, event)]).catch(() => {});

  return {
    place: (order) => place(trunk, report, order),
    // A call exists only in the process that placed it, so its response cannot get lost.
    find: async () => ({ outcome: 'absent' }),

    async accept({ provider_call_id, call_id, max_duration_seconds }) {
      const media = Promise.withResolvers<MediaSession | null>();
      accepted.set(provider_call_id, { call_id, max_duration_ms: max_duration_seconds * 1000, media });
      return { outcome: 'accepted' };
    },
    async decline(provider_call_id, why) {
      // 503: another process may take it.
      declined.set(provider_call_id, why === 'no_capacity' ? 503 : 603);
    },
    async decideInbound({ provider_call_id, from, to }) {
      await handleEvents([{ kind: 'call_offered', provider_call_id, from, to }]);
      const call = accepted.get(provider_call_id);
      // Neither accepted nor declined: the provider rings several processes, and another one has the call. 603 would end it
      // there as well (RFC 3261 section 16.7).
      const status = declined.get(provider_call_id) ?? 480;
      declined.delete(provider_call_id);
      if (!call) return { answer: false, status };
      const settle = (media: MediaSession | null | Promise<MediaSession | null>) => {
        call.media.resolve(media);
        accepted.delete(provider_call_id);
      };
      return {
        answer: true,
        max_duration_ms: call.max_duration_ms,
        emit: (event) => report(provider_call_id, call.call_id, event),
        accepted: ({ media }) => settle(media),
        missed: () => settle(null),
      };
    },

    media: (provider_call_id) =>
      accepted.get(provider_call_id)?.media.promise ?? trunk.media(provider_call_id),
    // Before the answer this cancels the call; translate.ts decides how it ended.
    hangUp: async (provider_call_id) => ({ outcome: trunk.hangUp(provider_call_id, 'api_hangup') }),
    callState: async (provider_call_id) => ({ outcome: trunk.state(provider_call_id) }),
  };
}

async function place(
  trunk: Pick<SipTrunk, 'dial'>,
  report: Report,
  order: CallOrder,
): ReturnType<VoicePort['place']> {
  // The first events come while the call is placed, before its id is known. They are reported afterwards.
  const early: CallEvent[] = [];
  let id: string | null = null;
  const placed = await trunk.dial(
    {
      to: order.to,
      from: order.from,
      ring_timeout_ms: order.ring_timeout_seconds * 1000,
      max_duration_ms: order.max_duration_seconds * 1000,
    },
    (event) => {
      if (id === null) early.push(event);
      else report(id, order.call_id, event);
    },
  );
  if (placed.outcome === 'placed') {
    id = placed.provider_call_id;
    for (const event of early) report(id, order.call_id, event);
  }
  return placed;
}

const carrierEvent = (provider_call_id: string, call_id: string, event: CallEvent): CarrierEvent => ({
  kind: 'call_changed',
  provider_call_id,
  call_id,
  trigger: event.trigger,
  answered_by: null,
  end_reason: 'end_reason' in event ? event.end_reason : null,
  detail: event.detail,
});
