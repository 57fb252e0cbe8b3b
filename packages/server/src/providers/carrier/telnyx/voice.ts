// Calls over Telnyx: placed, answered and ended by its call control, change of by webhooks, heard over its media streams.
import type { CarrierEvent, CarrierFailure, FoundCall, VoicePort } from '../carrier.ts';
import { type CarrierResponse, textField } from '../carrier-http.ts';
import { type MediaSocketDeps, mediaSockets } from '../media-sockets.ts';
import { callEnding } from './translate.ts';

export type TelnyxVoice = MediaSocketDeps & {
  /** Where Telnyx brings the sound. */
  mediaUrl(): string;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Comes back with every webhook of the call. */
const stateOf = (call_id: string) => Buffer.from(call_id).toString('base64');
const callIn = (state: string | null): string | null => {
  const text = Buffer.from(state ?? '', 'base64').toString();
  return uuid.test(text) ? text : null;
};

export function telnyxVoice(
  deps: TelnyxVoice & {
    post(path: string, body: unknown): Promise<CarrierResponse>;
    refused(status: number, json: unknown): CarrierFailure;
    connection_id: string;
    callbackUrl(): string;
  },
) {
  const { post, refused } = deps;
  const act = (provider_call_id: string, action: string, body: Record<string, unknown> = {}) =>
    post(`/calls/${encodeURIComponent(provider_call_id)}/actions/${action}`, body);

  const hangUp: VoicePort['hangUp'] = async (provider_call_id) => {
    sockets.ended({ provider_call_id, call_id: null });
    const answer = await act(provider_call_id, 'hangup');
    if (answer.outcome !== 'answered') return answer;
    if (answer.status === 404 || answer.status === 422) return { outcome: 'already_ended' };
    return answer.status === 200 ? { outcome: 'ended' } : refused(answer.status, answer.json);
  };

  const sockets = mediaSockets({
    ...deps,
    carrier: 'telnyx',
    opening: (start, query) => ({
      token: query.get('token') ?? '',
      is_readable: textField(start, 'start', 'media_format', 'encoding') === 'PCMU',
      dialect: {
        media: (payload) => ({ event: 'media', media: { payload } }),
        mark: (name) => ({ event: 'mark', mark: { name } }),
        clear: () => ({ event: 'clear' }),
      },
    }),
    async sendDigits(provider_call_id, digits) {
      const answer = await act(provider_call_id, 'send_dtmf', { digits });
      if (answer.outcome !== 'answered' || answer.status !== 200) throw new Error('the keys were not sent');
    },
    hangUp: (provider_call_id) => void hangUp(provider_call_id).catch(() => {}),
  });

  const streaming = (token: string) => ({
    stream_url: `${deps.mediaUrl()}?token=${token}`,
    stream_track: 'inbound_track',
    // Without a mode what we say would vanish.
    stream_bidirectional_mode: 'rtp',
    stream_bidirectional_codec: 'PCMU',
  });

  const voice: VoicePort = {
    has_own_agent: false,
    async place(order) {
      const expected = sockets.expect(order.call_id, order.ring_timeout_seconds);
      const answer = await post('/calls', {
        connection_id: deps.connection_id,
        to: order.to,
        from: order.from,
        ...streaming(expected.token),
        timeout_secs: order.ring_timeout_seconds,
        time_limit_secs: order.max_duration_seconds,
        client_state: stateOf(order.call_id),
        // The same order a second time is ignored.
        command_id: order.call_id,
        webhook_url: deps.callbackUrl(),
        webhook_url_method: 'POST',
      });
      // Whoever does not know may still be called back: the token stays.
      if (answer.outcome === 'lost') return answer;
      const id =
        answer.outcome === 'answered' &&
        answer.status < 300 &&
        textField(answer.json, 'data', 'call_control_id');
      if (id) {
        expected.named(id);
        return { outcome: 'placed', provider_call_id: id };
      }
      if (answer.outcome === 'answered' && answer.status < 300) {
        return { outcome: 'lost', detail: `status ${answer.status} without a call` };
      }
      expected.cancel();
      return answer.outcome === 'answered' ? refused(answer.status, answer.json) : answer;
    },

    // There is no list of calls: only its webhooks tell that one was placed.
    find: async (): Promise<FoundCall> => ({ outcome: 'cannot_tell' }),

    async accept({ provider_call_id, call_id }) {
      const expected = sockets.expect(call_id, 30);
      expected.named(provider_call_id);
      const answer = await act(provider_call_id, 'answer', {
        ...streaming(expected.token),
        client_state: stateOf(call_id),
        command_id: call_id,
        webhook_url: deps.callbackUrl(),
        webhook_url_method: 'POST',
      });
      if (answer.outcome === 'answered' && answer.status === 200) return { outcome: 'accepted' };
      // Nobody knows: if it was answered, its stream will come.
      if (answer.outcome === 'lost') return { outcome: 'accepted' };
      expected.cancel();
      return answer.outcome === 'answered' ? refused(answer.status, answer.json) : answer;
    },
    async decline(provider_call_id) {
      await act(provider_call_id, 'reject', { cause: 'CALL_REJECTED' });
    },
    media: sockets.media,
    hangUp,
  };

  return {
    voice,
    openMedia: sockets.openMedia,
    /** What a webhook about a call says; null when it is about something else. */
    read(type: string, payload: unknown): CarrierEvent[] | null {
      const provider_call_id = textField(payload, 'call_control_id');
      if (!provider_call_id || !/^(call|streaming)\./.test(type)) return null;
      const call_id = callIn(textField(payload, 'client_state'));
      const callChanged = (
        change: Pick<Extract<CarrierEvent, { kind: 'call_changed' }>, 'trigger' | 'end_reason' | 'detail'>,
      ): CarrierEvent[] => {
        if (call_id !== null) sockets.named(call_id, provider_call_id);
        if (change.end_reason !== null) sockets.ended({ provider_call_id, call_id });
        return [{ kind: 'call_changed', provider_call_id, call_id, answered_by: null, ...change }];
      };
      switch (type) {
        case 'call.initiated': {
          if (textField(payload, 'direction') !== 'incoming') {
            return callChanged({ trigger: 'dialed', end_reason: null, detail: type });
          }
          const [from, to] = [textField(payload, 'from') ?? '', textField(payload, 'to') ?? ''];
          return [{ kind: 'call_offered', provider_call_id, from, to }];
        }
        case 'call.answered':
          return callChanged({ trigger: 'answered', end_reason: null, detail: type });
        case 'streaming.failed':
          return callChanged({
            trigger: 'broke',
            end_reason: 'media_failure',
            detail: `${type} ${textField(payload, 'failure_reason') ?? ''}`.trim(),
          });
        case 'call.hangup': {
          const cause = textField(payload, 'hangup_cause') ?? 'unspecified';
          const sip = textField(payload, 'sip_hangup_cause');
          return callChanged({
            ...callEnding(cause, sip),
            detail: sip ? `${cause} (SIP ${sip})` : cause,
          });
        }
        default:
          return [];
      }
    },
  };
}
