// Calls over Twilio: placed and ended by its API, told of by callbacks, heard over its media streams.
import type { CallEndReason, CallTrigger } from '@parley/contract/call-records';
import type {
  CallOrder,
  CarrierEvent,
  CarrierFailure,
  FindCallOptions,
  FoundCall,
  VoicePort,
} from '../carrier.ts';
import { type CarrierResponse, listField, textField } from '../carrier-http.ts';
import { type MediaSocketDeps, mediaSockets } from '../media-sockets.ts';
import { callEnding, callTriggers, live_calls } from './translate.ts';

export type TwilioVoice = MediaSocketDeps & {
  /** Where Twilio brings the sound. */
  mediaUrl(): string;
  /** How far the service's clock has been moved ahead of the world's, in which the carrier lives. */
  aheadMs(): number;
};

/** Twilio asks whether a call is wanted and waits for the answer; the same question may come again. */
const kept_answers_ms = 60_000;
/** Their clock and ours may differ, and theirs tells whole seconds. */
const skew_ms = 5000;
const document = (inner: string) => `<?xml version="1.0" encoding="UTF-8"?><Response>${inner}</Response>`;
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function twilioVoice(
  deps: TwilioVoice & {
    get(path: string, query?: Record<string, string>): Promise<CarrierResponse>;
    post(path: string, form: Record<string, string> | [string, string][]): Promise<CarrierResponse>;
    refused(status: number, json: unknown): CarrierFailure;
    callbackUrl(): string;
  },
) {
  const { get, post, refused } = deps;
  const answers = new Map<string, string>();

  const hangUp: VoicePort['hangUp'] = async (provider_call_id) => {
    sockets.ended({ provider_call_id, call_id: null });
    const answer = await post(`/Calls/${encodeURIComponent(provider_call_id)}.json`, { Status: 'completed' });
    if (answer.outcome !== 'answered') return answer;
    if (answer.status === 404) return { outcome: 'already_ended' };
    return answer.status === 200 ? { outcome: 'ended' } : refused(answer.status, answer.json);
  };

  const sockets = mediaSockets({
    ...deps,
    carrier: 'twilio',
    opening(start) {
      const streamSid = textField(start, 'streamSid') ?? textField(start, 'start', 'streamSid') ?? '';
      return {
        token: textField(start, 'start', 'customParameters', 'token') ?? '',
        is_readable: textField(start, 'start', 'mediaFormat', 'encoding') === 'audio/x-mulaw',
        dialect: {
          media: (payload) => ({ event: 'media', streamSid, media: { payload } }),
          mark: (name) => ({ event: 'mark', streamSid, mark: { name } }),
          clear: () => ({ event: 'clear', streamSid }),
        },
      };
    },
    // Its streams carry no keys: they are played as tones.
    sendDigits: null,
    hangUp: (provider_call_id) => void hangUp(provider_call_id).catch(() => {}),
  });

  /** The token goes into a parameter, because Twilio drops the query of a stream's address. */
  const connect = (token: string) =>
    document(
      `<Connect><Stream url="${escaped(deps.mediaUrl())}"><Parameter name="token" value="${token}"/></Stream></Connect>`,
    );

  const voice: VoicePort = {
    has_own_agent: false,
    async place(order) {
      const expected = sockets.expect(order.call_id, order.ring_timeout_seconds);
      const answer = await post('/Calls.json', [
        ['To', order.to],
        ['From', order.from],
        ['Twiml', connect(expected.token)],
        ['Timeout', String(order.ring_timeout_seconds)],
        ['TimeLimit', String(order.max_duration_seconds)],
        ['StatusCallback', `${deps.callbackUrl()}?call=${order.call_id}`],
        ['StatusCallbackMethod', 'POST'],
        ...['initiated', 'ringing', 'answered', 'completed'].map((event): [string, string] => [
          'StatusCallbackEvent',
          event,
        ]),
      ]);
      // Whoever does not know may still be called back: the token stays.
      if (answer.outcome === 'lost') return answer;
      const sid = answer.outcome === 'answered' && answer.status === 201 && textField(answer.json, 'sid');
      if (sid) {
        expected.named(sid);
        return { outcome: 'placed', provider_call_id: sid };
      }
      if (answer.outcome === 'answered' && answer.status < 300) {
        return { outcome: 'lost', detail: `status ${answer.status} without a call` };
      }
      expected.cancel();
      return answer.outcome === 'answered' ? refused(answer.status, answer.json) : answer;
    },

    // Calls carry no tag of ours: one to the same person from the same number is taken for it, while it is live.
    async find(order: CallOrder, { since, isKnown }: FindCallOptions): Promise<FoundCall> {
      const answer = await get('/Calls.json', { To: order.to, From: order.from, PageSize: '20' });
      if (answer.outcome !== 'answered') return answer;
      if (answer.status !== 200) return refused(answer.status, answer.json);
      for (const call of listField(answer.json, 'calls')) {
        const sid = textField(call, 'sid');
        const created_ms = new Date(textField(call, 'date_created') ?? 0).getTime();
        if (textField(call, 'direction') !== 'outbound-api' || sid === null) continue;
        if (!live_calls.has(textField(call, 'status') ?? '')) continue;
        if (created_ms < since.getTime() - deps.aheadMs() - skew_ms || (await isKnown(sid))) continue;
        sockets.named(order.call_id, sid);
        return { outcome: 'found', provider_call_id: sid };
      }
      return { outcome: 'absent' };
    },

    async accept({ provider_call_id, call_id }) {
      const expected = sockets.expect(call_id, 30);
      expected.named(provider_call_id);
      answers.set(provider_call_id, connect(expected.token));
      setTimeout(() => answers.delete(provider_call_id), kept_answers_ms).unref();
      return { outcome: 'accepted' };
    },
    async decline() {},
    media: sockets.media,
    hangUp,
  };

  return {
    voice,
    openMedia: sockets.openMedia,
    /** What a callback about a call says; null when it is about something else. */
    read(form: URLSearchParams, call_id: string | null): { events: CarrierEvent[]; answer(): string } | null {
      const provider_call_id = form.get('CallSid');
      const status = form.get('CallStatus');
      if (!provider_call_id || !status) return null;
      const is_offer = form.get('Direction') === 'inbound' && form.get('CallbackSource') === null;
      if (is_offer && status === 'ringing') {
        const [from, to] = [form.get('From') ?? '', form.get('To') ?? ''];
        return {
          events: [{ kind: 'call_offered', provider_call_id, from, to }],
          answer: () => answers.get(provider_call_id) ?? document('<Reject/>'),
        };
      }
      const code = form.get('SipResponseCode');
      const ending = callEnding(status, code);
      if (call_id !== null) sockets.named(call_id, provider_call_id);
      if (ending) sockets.ended({ provider_call_id, call_id });
      const trigger: CallTrigger | undefined = ending?.trigger ?? callTriggers[status];
      const end_reason: CallEndReason | null = ending?.end_reason ?? null;
      if (!trigger) return { events: [], answer: () => document('') };
      return {
        events: [
          {
            kind: 'call_changed',
            provider_call_id,
            call_id,
            trigger,
            answered_by: null,
            end_reason,
            detail: code ? `${status} (SIP ${code})` : status,
          },
        ],
        answer: () => document(''),
      };
    },
  };
}
