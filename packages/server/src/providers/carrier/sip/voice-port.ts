// The trunk as the voice part of the carrier port: orders in, news of the call's lifecycle out.
import type { News, VoicePort } from '../carrier.ts';
import type { SipTrunk } from './index.ts';

export type SipCallNews = Extract<News, { kind: 'call_changed' }>;

export function sipVoice(
  trunk: Pick<SipTrunk, 'dial' | 'media' | 'hangUp' | 'state'>,
  hear: (news: SipCallNews) => void,
): VoicePort & { callState(provider_call_id: string): Promise<{ outcome: 'live' | 'ended' }> } {
  return {
    async place(order) {
      // The first news come while the call is being placed, before its id is known to the caller.
      const early: ((provider_call_id: string) => void)[] = [];
      let id: string | null = null;
      const placed = await trunk.dial(
        {
          to: order.to,
          from: order.from,
          ring_timeout_ms: order.ring_timeout_seconds * 1000,
          max_duration_ms: order.max_duration_seconds * 1000,
        },
        (news) => {
          const tell = (provider_call_id: string) =>
            hear({
              kind: 'call_changed',
              provider_call_id,
              call_id: order.call_id,
              trigger: news.trigger,
              answered_by: null,
              end_reason: 'end_reason' in news ? news.end_reason : null,
              detail: news.detail,
            });
          if (id === null) early.push(tell);
          else tell(id);
        },
      );
      if (placed.outcome === 'placed') {
        id = placed.provider_call_id;
        for (const tell of early) tell(id);
      }
      return placed;
    },
    media: (provider_call_id) => trunk.media(provider_call_id),
    // Before the answer this is a cancellation; translate.ts decides.
    hangUp: async (provider_call_id) => ({ outcome: trunk.hangUp(provider_call_id, 'api_hangup') }),
    callState: async (provider_call_id) => ({ outcome: trunk.state(provider_call_id) }),
  };
}
