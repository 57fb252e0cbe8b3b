// Twilio as a carrier: the 2010-04-01 API over form-encoded HTTP.
import { isUtf8 } from 'node:buffer';
import type { Carrier, CarrierFailure, NumberOrder, Offer, PurchaseResult } from '../carrier.ts';
import { carrierHttp, field, listField, misconfigured, textField } from '../carrier-http.ts';
import { isSigned, signingKey } from './signature.ts';
import { errorOf, lists, live_calls, taken_codes, textOutcome } from './translate.ts';
import { type TwilioVoice, twilioVoice } from './voice.ts';

export type TwilioSettings = {
  account_sid: string;
  auth_token: string;
  base_url: string;
  /** Where Twilio calls back; known once the service listens. */
  callbackUrl(): string;
  timeout_ms?: number;
  /** Null where this process has no door for sound. */
  voice: TwilioVoice | null;
};

/** Twilio keeps it with the number, and finds it again. */
const tagOf = (order: NumberOrder) => `parley ${order.reference}`;
const trial_prefix = 'Sent from your Twilio trial account - ';
/** Their clock and ours may differ. */
const skew_ms = 60_000;

export function twilioCarrier(settings: TwilioSettings): Carrier {
  const exchange = carrierHttp({ timeout_ms: settings.timeout_ms ?? 15_000 });
  const authorization = `Basic ${Buffer.from(`${settings.account_sid}:${settings.auth_token}`).toString('base64')}`;
  const signing_key = signingKey(settings.auth_token);
  const account = `${settings.base_url}/2010-04-01/Accounts/${settings.account_sid}`;

  const get = (path: string, query: Record<string, string> = {}) => {
    const text = new URLSearchParams(query).toString();
    return exchange({
      method: 'GET',
      url: `${account}${path}${text && `?${text}`}`,
      headers: { authorization },
    });
  };
  const post = (path: string, form: Record<string, string> | [string, string][]) =>
    exchange({
      method: 'POST',
      url: account + path,
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });

  const errorIn = (json: unknown) => ({
    code: textField(json, 'code') ?? 'unknown',
    detail: textField(json, 'message') ?? '',
  });
  const refused = (status: number, json: unknown): CarrierFailure =>
    status === 401 || status === 403 ? misconfigured(status) : { outcome: 'refused', ...errorIn(json) };

  const calls = settings.voice && twilioVoice({ ...settings.voice, ...settings, get, post, refused });

  return {
    name: 'twilio',
    capabilities: {
      simulated: false,
      sms: true,
      sender_names: true,
      answers_opt_out_keywords: true,
      numbers: true,
      verification: false,
      voice: calls !== null,
    },

    sms: {
      async send({ sms_id, from, to, body }) {
        const answer = await post('/Messages.json', {
          To: to,
          From: from,
          Body: body,
          StatusCallback: `${settings.callbackUrl()}?sms=${sms_id}`,
        });
        if (answer.outcome !== 'answered') return answer;
        const sid = textField(answer.json, 'sid');
        if (answer.status === 201 && sid) return { outcome: 'accepted', provider_message_id: sid };
        if (answer.status < 300)
          return { outcome: 'lost', detail: `status ${answer.status} without a message` };
        const { code, detail } = errorIn(answer.json);
        if (answer.status !== 400)
          return misconfigured(answer.status) as Extract<CarrierFailure, { outcome: 'busy' }>;
        return { outcome: 'not_sent', error_code: errorOf(code, 'rejected'), detail: `${code} ${detail}` };
      },

      // Messages carry no tag of ours, so one that was sent since then with the same words is taken for it.
      async find({ from, to, body }, since) {
        const answer = await get('/Messages.json', { To: to, From: from, PageSize: '50' });
        if (answer.outcome !== 'answered') return answer;
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const candidates = listField(answer.json, 'messages')
          .map((message) => ({
            provider_message_id: textField(message, 'sid') ?? '',
            created_at: new Date(textField(message, 'date_created') ?? 0),
            direction: textField(message, 'direction'),
            body: textField(message, 'body'),
          }))
          .filter(
            (message) =>
              message.direction === 'outbound-api' &&
              (message.body === body || message.body === trial_prefix + body) &&
              message.created_at.getTime() >= since.getTime() - skew_ms,
          )
          .reverse();
        return candidates.length > 0 ? { outcome: 'found', candidates } : { outcome: 'absent' };
      },

      async outcome(provider_message_id) {
        const answer = await get(`/Messages/${encodeURIComponent(provider_message_id)}.json`);
        if (answer.outcome !== 'answered') return answer;
        if (answer.status === 404) return { outcome: 'absent' };
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const text = textOutcome(
          textField(answer.json, 'status') ?? '',
          textField(answer.json, 'error_code'),
        );
        return { outcome: 'known', text: text ?? { status: 'sent' } };
      },
    },

    numbers: {
      async search(query) {
        if (query.number_type === 'national') return { outcome: 'number_type_not_supported' };
        const answer = await get(
          `/AvailablePhoneNumbers/${query.country_code}/${lists[query.number_type]}.json`,
          {
            ...(query.capabilities.includes('sms') && { SmsEnabled: 'true' }),
            ...(query.capabilities.includes('voice') && { VoiceEnabled: 'true' }),
            ...(query.e164 !== undefined && { Contains: query.e164.slice(1) }),
            PageSize: String(query.limit),
          },
        );
        if (answer.outcome !== 'answered') return answer;
        if (answer.status === 404) {
          return {
            outcome: query.number_type === 'local' ? 'country_not_supported' : 'number_type_not_supported',
          };
        }
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const offers = listField(answer.json, 'available_phone_numbers').flatMap((number): Offer[] => {
          const e164 = textField(number, 'phone_number');
          if (!e164 || (query.e164 !== undefined && e164 !== query.e164)) return [];
          const able = (name: string) => field(number, 'capabilities', name) === true;
          return [
            {
              e164,
              country_code: query.country_code,
              number_type: query.number_type,
              capabilities: [
                ...(able('voice') ? (['voice'] as const) : []),
                ...(able('SMS') || able('sms') ? (['sms'] as const) : []),
              ],
              // This list names no price; Twilio bills its list price.
              monthly_cents: null,
              setup_cents: null,
              currency: 'USD',
              readiness:
                (textField(number, 'address_requirements') ?? 'none') === 'none'
                  ? 'ready'
                  : 'verification_required',
            },
          ];
        });
        return { outcome: 'found', offers };
      },

      async buy(order): Promise<PurchaseResult> {
        const answer = await post('/IncomingPhoneNumbers.json', {
          PhoneNumber: order.e164,
          FriendlyName: tagOf(order),
          ...(order.verification_reference && { BundleSid: order.verification_reference }),
        });
        if (answer.outcome !== 'answered') return answer;
        const sid = textField(answer.json, 'sid');
        if (answer.status === 201 && sid) return { outcome: 'bought', provider_number_id: sid };
        if (answer.status < 300)
          return { outcome: 'lost', detail: `status ${answer.status} without a number` };
        return taken_codes.has(errorIn(answer.json).code)
          ? { outcome: 'taken' }
          : refused(answer.status, answer.json);
      },

      async findPurchase(order) {
        const answer = await get('/IncomingPhoneNumbers.json', { PhoneNumber: order.e164, PageSize: '20' });
        if (answer.outcome !== 'answered') return answer;
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const held = listField(answer.json, 'incoming_phone_numbers').filter(
          (number) => textField(number, 'phone_number') === order.e164,
        );
        const ours = held.find((number) => textField(number, 'friendly_name') === tagOf(order));
        if (ours) return { outcome: 'bought', provider_number_id: textField(ours, 'sid')! };
        return held.length > 0 ? { outcome: 'taken' } : { outcome: 'absent' };
      },

      async registerInbound({ provider_number_id }) {
        const url = settings.callbackUrl();
        const answer = await post(`/IncomingPhoneNumbers/${encodeURIComponent(provider_number_id)}.json`, {
          SmsUrl: url,
          SmsMethod: 'POST',
          VoiceUrl: url,
          VoiceMethod: 'POST',
        });
        if (answer.outcome !== 'answered') return answer;
        return answer.status === 200 ? { outcome: 'done' } : refused(answer.status, answer.json);
      },

      async release({ provider_number_id }) {
        const answer = await exchange({
          method: 'DELETE',
          url: `${account}/IncomingPhoneNumbers/${encodeURIComponent(provider_number_id)}.json`,
          headers: { authorization },
        });
        if (answer.outcome !== 'answered') return answer;
        return answer.status === 204 || answer.status === 404
          ? { outcome: 'done' }
          : refused(answer.status, answer.json);
      },
    },

    verification: null,
    voice: calls?.voice ?? null,
    openMedia: calls?.openMedia ?? null,
    listener: null,

    async callState(provider_call_id) {
      const answer = await get(`/Calls/${encodeURIComponent(provider_call_id)}.json`);
      if (answer.outcome !== 'answered') return answer;
      if (answer.status === 404) return { outcome: 'ended' };
      if (answer.status !== 200) return refused(answer.status, answer.json);
      return { outcome: live_calls.has(textField(answer.json, 'status') ?? '') ? 'live' : 'ended' };
    },

    readCallback({ url, headers, body }) {
      const signature = headers['x-twilio-signature'];
      if (typeof signature !== 'string' || !isUtf8(body))
        return { outcome: 'forged', detail: 'no signature' };
      const form = new URLSearchParams(body.toString());
      if (!isSigned(signing_key, url, form, signature)) {
        return { outcome: 'forged', detail: 'the signature does not fit the address and the form' };
      }
      // An empty document: no reply, nothing to play.
      const answer = () => ({
        content_type: 'text/xml',
        body: '<?xml version="1.0" encoding="UTF-8"?><Response/>',
      });
      const call = form.has('CallSid') && calls?.read(form, uuidIn(new URL(url).searchParams.get('call')));
      if (call) {
        const told = () => ({ content_type: 'text/xml', body: call.answer() });
        return { outcome: 'authentic', events: call.events, answer: told };
      }
      const sid = form.get('MessageSid') ?? form.get('SmsSid');
      const status = form.get('MessageStatus');
      if (sid && status) {
        const text = textOutcome(status, form.get('ErrorCode'));
        const sms_id = uuidIn(new URL(url).searchParams.get('sms'));
        const events = text
          ? [{ kind: 'text_changed' as const, provider_message_id: sid, sms_id, text }]
          : [];
        return { outcome: 'authentic', events, answer };
      }
      if (sid && form.has('Body') && form.has('From') && form.has('To')) {
        const [from, to, words] = [form.get('From')!, form.get('To')!, form.get('Body')!];
        return {
          outcome: 'authentic',
          events: [{ kind: 'text_received', provider_message_id: sid, from, to, body: words }],
          answer,
        };
      }
      const names = [...form.keys()].slice(0, 20).join(', ');
      return { outcome: 'authentic', events: [{ kind: 'unknown', detail: `form with ${names}` }], answer };
    },
  };
}

const uuidIn = (text: string | null): string | null =>
  text && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null;
