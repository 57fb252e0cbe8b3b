// Calls over Twilio: its API places and ends them, callbacks report their progress, media streams carry the audio.
import type { CarrierTrigger } from '@parley/contract/channels/calls/call-records';
import type { CallOrder, CarrierEvent, FindCallOptions, FoundCall, VoicePort } from '../carrier.ts';
import { listField, textField } from '../carrier-http.ts';
import { type MediaSocketDeps, type MediaSockets, mediaSockets, not_leading } from '../media-sockets.ts';
import { repeatedHangUp } from '../repeat-requests.ts';
import { refused, type TwilioApi } from './api.ts';
import { callEnding, callTriggers, live_calls } from './translate.ts';

export type TwilioVoice = MediaSocketDeps & {
  /** Our URL for Twilio's media streams. */
  mediaUrl(): string;
  /** How far the sandbox moved the service's clock ahead of real time, which Twilio uses. */
  aheadMs(): number;
};

type Deps = TwilioVoice & { api: TwilioApi; callbackUrl(): string };

/** Twilio may repeat its question about an inbound call, so the decision is stored for this time. */
const decision_ttl_ms = 60_000;
/** Twilio's clock and ours may differ, and Twilio's times have whole seconds. */
const clock_skew_ms = 5000;
/** Twilio's error code for a change of a call that is over. */
const not_in_progress = '21220';
const document = (inner: string) => `<?xml version="1.0" encoding="UTF-8"?><Response>${inner}</Response>`;
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export type TwilioCalls = ReturnType<typeof twilioVoice>;

export function twilioVoice(deps: Deps) {
  /** TwiML for inbound calls that were accepted, by Twilio's call id. */
  const decisions = new Map<string, string>();
  const hangUp = repeatedHangUp({ carrier: 'twilio', log: deps.log }, (id) => endCall(deps.api, sockets, id));
  const sockets: MediaSockets = mediaSockets({
    ...deps,
    carrier: 'twilio',
    opening: streamOpening,
    // Twilio's streams cannot send digits, so they are played as tones.
    sendDigits: null,
    hangUp: (provider_call_id) => void hangUp(provider_call_id).catch(() => {}),
  });
  /** The token is a parameter, because Twilio drops the query of a stream's URL. */
  const connect = (token: string) =>
    document(
      `<Connect><Stream url="${escaped(deps.mediaUrl())}"><Parameter name="token" value="${token}"/></Stream></Connect>`,
    );

  const voice: VoicePort = {
    place: (order) => placeCall(deps, sockets, connect, order),
    find: (order, options) => findCall(deps, sockets, order, options),
    async accept({ provider_call_id, call_id }) {
      const expected = await sockets.expect(call_id, 30);
      if (!expected) return not_leading;
      expected.named(provider_call_id);
      decisions.set(provider_call_id, connect(expected.token));
      setTimeout(() => decisions.delete(provider_call_id), decision_ttl_ms).unref();
      return { outcome: 'accepted' };
    },
    async decline() {},
    media: sockets.media,
    hangUp,
  };

  return {
    voice,
    openMedia: sockets.openMedia,
    /** The events of a callback about a call; null when it is about something else. */
    read(form: URLSearchParams, call_id: string | null): CallCallback | null {
      const provider_call_id = form.get('CallSid');
      const status = form.get('CallStatus');
      if (!provider_call_id || !status) return null;
      const is_offer = form.get('Direction') === 'inbound' && form.get('CallbackSource') === null;
      if (is_offer && status === 'ringing') {
        const [from, to] = [form.get('From') ?? '', form.get('To') ?? ''];
        return {
          events: [{ kind: 'call_offered', provider_call_id, from, to }],
          response: () => decisions.get(provider_call_id) ?? document('<Reject/>'),
        };
      }
      const events = callChanged(sockets, { provider_call_id, call_id }, status, form.get('SipResponseCode'));
      return { events, response: () => document('') };
    },
  };
}

type CallCallback = { events: CarrierEvent[]; response(): string };

/** Reads the start message of a media stream. */
function streamOpening(start: unknown) {
  const streamSid = textField(start, 'streamSid') ?? textField(start, 'start', 'streamSid') ?? '';
  return {
    token: textField(start, 'start', 'customParameters', 'token') ?? '',
    is_readable: textField(start, 'start', 'mediaFormat', 'encoding') === 'audio/x-mulaw',
    dialect: {
      media: (payload: string) => ({ event: 'media', streamSid, media: { payload } }),
      mark: (name: string) => ({ event: 'mark', streamSid, mark: { name } }),
      clear: () => ({ event: 'clear', streamSid }),
    },
  };
}

async function placeCall(
  deps: Deps,
  sockets: MediaSockets,
  connect: (token: string) => string,
  order: CallOrder,
): ReturnType<VoicePort['place']> {
  const expected = await sockets.expect(order.call_id, order.ring_timeout_seconds);
  if (!expected) return not_leading;
  const response = await deps.api.post('/Calls.json', [
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
  // The call may exist, so its token stays valid.
  if (response.outcome === 'lost') return response;
  if (response.outcome === 'response' && response.status < 300) {
    const sid = textField(response.json, 'sid');
    if (response.status !== 201 || !sid) {
      return { outcome: 'lost', detail: `status ${response.status} without a call` };
    }
    expected.named(sid);
    return { outcome: 'placed', provider_call_id: sid };
  }
  expected.cancel();
  return response.outcome === 'response' ? refused(response.status, response.json) : response;
}

/** Twilio's calls have no field for our id, so a live call between the same two numbers counts as ours. */
async function findCall(
  deps: Deps,
  sockets: MediaSockets,
  order: CallOrder,
  { since, isKnown }: FindCallOptions,
): Promise<FoundCall> {
  const response = await deps.api.get('/Calls.json', { To: order.to, From: order.from, PageSize: '20' });
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  for (const call of listField(response.json, 'calls')) {
    const sid = textField(call, 'sid');
    const created_ms = new Date(textField(call, 'date_created') ?? 0).getTime();
    if (textField(call, 'direction') !== 'outbound-api' || sid === null) continue;
    if (!live_calls.has(textField(call, 'status') ?? '')) continue;
    if (created_ms < since.getTime() - deps.aheadMs() - clock_skew_ms || (await isKnown(sid))) continue;
    sockets.named(order.call_id, sid);
    return { outcome: 'found', provider_call_id: sid };
  }
  return { outcome: 'absent' };
}

async function endCall(
  api: TwilioApi,
  sockets: MediaSockets,
  provider_call_id: string,
): ReturnType<VoicePort['hangUp']> {
  sockets.ended({ provider_call_id, call_id: null });
  const response = await api.post(`/Calls/${encodeURIComponent(provider_call_id)}.json`, {
    Status: 'completed',
  });
  if (response.outcome !== 'response') return response;
  if (response.status === 404 || textField(response.json, 'code') === not_in_progress)
    return { outcome: 'already_ended' };
  return response.status === 200 ? { outcome: 'ended' } : refused(response.status, response.json);
}

function callChanged(
  sockets: MediaSockets,
  call: { provider_call_id: string; call_id: string | null },
  status: string,
  sip_code: string | null,
): CarrierEvent[] {
  const ending = callEnding(status, sip_code);
  if (call.call_id !== null) sockets.named(call.call_id, call.provider_call_id);
  if (ending) sockets.ended(call);
  const trigger: CarrierTrigger | undefined = ending?.trigger ?? callTriggers[status];
  if (!trigger) return [];
  return [
    {
      kind: 'call_changed',
      ...call,
      trigger,
      answered_by: null,
      end_reason: ending?.end_reason ?? null,
      detail: sip_code ? `${status} (SIP ${sip_code})` : status,
    },
  ];
}
