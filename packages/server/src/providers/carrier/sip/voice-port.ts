// The trunk as the voice part of the carrier port: orders in, events of the call's lifecycle out.
import type { MediaSession } from '../../media/media-session.ts';
import type { CarrierEvent, VoicePort } from '../carrier.ts';
import type { CallEvent } from './call.ts';
import type { DecideInbound } from './inbound-call.ts';
import type { SipTrunk } from './index.ts';

type Accepted = {
  call_id: string;
  max_duration_ms: number;
  media: PromiseWithResolvers<MediaSession | null>;
};

export function sipVoice(
  trunk: Pick<SipTrunk, 'dial' | 'media' | 'hangUp' | 'state'>,
  handleEvents: (events: CarrierEvent[]) => Promise<void>,
): VoicePort & {
  callState(provider_call_id: string): Promise<{ outcome: 'live' | 'ended' }>;
  decideInbound: DecideInbound;
} {
  /** Calls to us that are wanted and not answered yet. */
  const accepted = new Map<string, Accepted>();

  const report = (provider_call_id: string, call_id: string, event: CallEvent): void => {
    handleEvents([
      {
        kind: 'call_changed',
        provider_call_id,
        call_id,
        trigger: event.trigger,
        answered_by: null,
        end_reason: 'end_reason' in event ? event.end_reason : null,
        detail: event.detail,
      },
    ]).catch(() => {});
  };

  return {
    has_own_agent: false,
    async place(order) {
      // The first news come while the call is being placed, before its id is known to the caller.
      const early: CallEvent[] = [];
      let id: string | null = null;
      const placed = await trunk.dial(
        {
          to: order.to,
          from: order.from,
          ring_timeout_ms: order.ring_timeout_seconds * 1000,
          max_duration_ms: order.max_duration_seconds * 1000,
        },
        (events) => {
          if (id === null) early.push(events);
          else report(id, order.call_id, events);
        },
      );
      if (placed.outcome === 'placed') {
        id = placed.provider_call_id;
        for (const events of early) report(id, order.call_id, events);
      }
      return placed;
    },
    // A call lives in the process that placed it, whose answer cannot get lost.
    find: async () => ({ outcome: 'absent' }),

    async accept({ provider_call_id, call_id, max_duration_seconds }) {
      const media = Promise.withResolvers<MediaSession | null>();
      accepted.set(provider_call_id, { call_id, max_duration_ms: max_duration_seconds * 1000, media });
      return { outcome: 'accepted' };
    },
    async decline() {},
    async decideInbound({ provider_call_id, from, to }) {
      await handleEvents([{ kind: 'call_offered', provider_call_id, from, to }]);
      const wanted = accepted.get(provider_call_id);
      if (!wanted) return { answer: false, status: 603 };
      const settle = (media: MediaSession | null | Promise<MediaSession | null>) => {
        wanted.media.resolve(media);
        accepted.delete(provider_call_id);
      };
      return {
        answer: true,
        max_duration_ms: wanted.max_duration_ms,
        emit: (events) => report(provider_call_id, wanted.call_id, events),
        taken: (call) => settle(call.media),
        missed: () => settle(null),
      };
    },

    media: (provider_call_id) =>
      accepted.get(provider_call_id)?.media.promise ?? trunk.media(provider_call_id),
    // Before the answer this is a cancellation; translate.ts decides.
    hangUp: async (provider_call_id) => ({ outcome: trunk.hangUp(provider_call_id, 'api_hangup') }),
    callState: async (provider_call_id) => ({ outcome: trunk.state(provider_call_id) }),
  };
}
