// The trunk as the voice part of the carrier port: orders in, news of the call's lifecycle out.
import type { MediaSession } from '../../media/media-session.ts';
import type { News, VoicePort } from '../carrier.ts';
import type { CallNews } from './call.ts';
import type { DecideInbound } from './inbound-call.ts';
import type { SipTrunk } from './index.ts';

type Accepted = {
  call_id: string;
  max_duration_ms: number;
  media: PromiseWithResolvers<MediaSession | null>;
};

export function sipVoice(
  trunk: Pick<SipTrunk, 'dial' | 'media' | 'hangUp' | 'state'>,
  hear: (news: News[]) => Promise<void>,
): VoicePort & {
  callState(provider_call_id: string): Promise<{ outcome: 'live' | 'ended' }>;
  decideInbound: DecideInbound;
} {
  /** Calls to us that are wanted and not answered yet. */
  const accepted = new Map<string, Accepted>();

  const tell = (provider_call_id: string, call_id: string, news: CallNews): void => {
    hear([
      {
        kind: 'call_changed',
        provider_call_id,
        call_id,
        trigger: news.trigger,
        answered_by: null,
        end_reason: 'end_reason' in news ? news.end_reason : null,
        detail: news.detail,
      },
    ]).catch(() => {});
  };

  return {
    speaks_itself: false,
    async place(order) {
      // The first news come while the call is being placed, before its id is known to the caller.
      const early: CallNews[] = [];
      let id: string | null = null;
      const placed = await trunk.dial(
        {
          to: order.to,
          from: order.from,
          ring_timeout_ms: order.ring_timeout_seconds * 1000,
          max_duration_ms: order.max_duration_seconds * 1000,
        },
        (news) => {
          if (id === null) early.push(news);
          else tell(id, order.call_id, news);
        },
      );
      if (placed.outcome === 'placed') {
        id = placed.provider_call_id;
        for (const news of early) tell(id, order.call_id, news);
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
      await hear([{ kind: 'call_offered', provider_call_id, from, to }]);
      const wanted = accepted.get(provider_call_id);
      if (!wanted) return { answer: false, status: 603 };
      const settle = (media: MediaSession | null | Promise<MediaSession | null>) => {
        wanted.media.resolve(media);
        accepted.delete(provider_call_id);
      };
      return {
        answer: true,
        max_duration_ms: wanted.max_duration_ms,
        emit: (news) => tell(provider_call_id, wanted.call_id, news),
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
