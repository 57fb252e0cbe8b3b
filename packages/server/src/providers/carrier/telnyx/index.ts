// Telnyx as a carrier: version 2 of its API over JSON.
import { isUtf8 } from 'node:buffer';
import type {
  Carrier,
  CarrierEvent,
  CarrierFailure,
  NumberOrder,
  Offer,
  PurchaseResult,
} from '../carrier.ts';
import { carrierHttp, field, listField, misconfigured, textField } from '../carrier-http.ts';
import { isSigned, publicKey } from './signature.ts';
import { busy_codes, errorOf, ready_countries, textOutcome } from './translate.ts';
import { type TelnyxVoice, telnyxVoice } from './voice.ts';

export type TelnyxSettings = {
  api_key: string;
  public_key: string;
  messaging_profile_id: string;
  connection_id: string | null;
  base_url: string;
  /** Where Telnyx calls back; known once the service listens. */
  callbackUrl(): string;
  now_ms(): number;
  timeout_ms?: number;
  /** Null where this process has no door for sound. */
  voice: TelnyxVoice | null;
};

const cents = (price: string | null): number | null =>
  price !== null && /^\d+(\.\d+)?$/.test(price) ? Math.round(Number(price) * 100) : null;

export function telnyxCarrier(settings: TelnyxSettings): Carrier {
  const exchange = carrierHttp({ timeout_ms: settings.timeout_ms ?? 15_000 });
  const key = publicKey(settings.public_key);
  const headers = { authorization: `Bearer ${settings.api_key}` };

  const get = (path: string, query: [string, string][] = []) => {
    const text = new URLSearchParams(query).toString();
    return exchange({ method: 'GET', url: `${settings.base_url}${path}${text && `?${text}`}`, headers });
  };
  const send = (method: 'POST' | 'PATCH', path: string, body: unknown) =>
    exchange({
      method,
      url: settings.base_url + path,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const errorIn = (json: unknown) => ({
    code: textField(json, 'errors', 0, 'code') ?? 'unknown',
    detail: textField(json, 'errors', 0, 'detail') ?? textField(json, 'errors', 0, 'title') ?? '',
  });
  const refused = (status: number, json: unknown): CarrierFailure =>
    status === 401 || status === 403 ? misconfigured(status) : { outcome: 'refused', ...errorIn(json) };

  /** The carrier's id of a number in the account. */
  const numberId = async (
    e164: string,
  ): Promise<{ outcome: 'known'; id: string | null } | CarrierFailure> => {
    const answer = await get('/phone_numbers', [['filter[phone_number]', e164]]);
    if (answer.outcome !== 'answered') return answer;
    if (answer.status !== 200) return refused(answer.status, answer.json);
    const number = listField(answer.json, 'data').find((each) => textField(each, 'phone_number') === e164);
    return { outcome: 'known', id: textField(number, 'id') };
  };

  /** What an order has come to. A number may be ordered and not yet in the account. */
  const orderResult = async (order: NumberOrder, data: unknown): Promise<PurchaseResult> => {
    const order_id = textField(data, 'id') ?? '';
    if (textField(data, 'status') === 'failure') {
      return { outcome: 'refused', code: 'order_failed', detail: 'the order failed' };
    }
    if (textField(data, 'status') !== 'success') return { outcome: 'pending', provider_number_id: order_id };
    const number = await numberId(order.e164);
    return number.outcome === 'known' && number.id !== null
      ? { outcome: 'bought', provider_number_id: number.id }
      : { outcome: 'pending', provider_number_id: order_id };
  };

  const { connection_id } = settings;
  const post = (path: string, body: unknown) => send('POST', path, body);
  const calls =
    settings.voice && connection_id !== null
      ? telnyxVoice({ ...settings.voice, ...settings, connection_id, post, refused })
      : null;

  return {
    name: 'telnyx',
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
        const answer = await send('POST', '/messages', {
          from,
          to,
          text: body,
          type: 'SMS',
          messaging_profile_id: settings.messaging_profile_id,
          webhook_url: `${settings.callbackUrl()}?sms=${sms_id}`,
          use_profile_webhooks: false,
        });
        if (answer.outcome !== 'answered') return answer;
        const id = textField(answer.json, 'data', 'id');
        if (answer.status < 300) {
          return id
            ? { outcome: 'accepted', provider_message_id: id }
            : { outcome: 'lost', detail: `status ${answer.status} without a message` };
        }
        const { code, detail } = errorIn(answer.json);
        if (busy_codes.has(code)) return { outcome: 'busy', retry_after_seconds: 5, detail };
        const ours = code.startsWith('40');
        if ([401, 403, 404].includes(answer.status) && !ours) {
          return misconfigured(answer.status) as Extract<CarrierFailure, { outcome: 'busy' }>;
        }
        return { outcome: 'not_sent', error_code: errorOf(code, 'rejected'), detail: `${code} ${detail}` };
      },

      // There is no list of messages: what became of one whose answer was lost only its callback tells.
      find: async () => ({ outcome: 'cannot_tell' }),

      async outcome(provider_message_id) {
        const answer = await get(`/messages/${encodeURIComponent(provider_message_id)}`);
        if (answer.outcome !== 'answered') return answer;
        if (answer.status === 404) return { outcome: 'absent' };
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const data = field(answer.json, 'data');
        const text = textOutcome(
          textField(data, 'to', 0, 'status') ?? '',
          textField(data, 'errors', 0, 'code'),
        );
        return { outcome: 'known', text: text ?? { status: 'sent' } };
      },
    },

    numbers: {
      async search(query) {
        const answer = await get('/available_phone_numbers', [
          ['filter[country_code]', query.country_code],
          ['filter[phone_number_type]', query.number_type],
          ['filter[features]', query.capabilities.join(',')],
          ...(query.e164 === undefined
            ? []
            : [['filter[phone_number][contains]', query.e164.slice(1)] as [string, string]]),
          ['filter[limit]', String(query.limit)],
        ]);
        if (answer.outcome !== 'answered') return answer;
        if (answer.status === 400 || answer.status === 422) {
          const where = textField(answer.json, 'errors', 0, 'source', 'parameter') ?? '';
          if (where.includes('phone_number_type')) return { outcome: 'number_type_not_supported' };
          if (where.includes('country_code')) return { outcome: 'country_not_supported' };
        }
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const offers = listField(answer.json, 'data').flatMap((number): Offer[] => {
          const e164 = textField(number, 'phone_number');
          if (!e164 || (query.e164 !== undefined && e164 !== query.e164)) return [];
          const features = listField(number, 'features').map((feature) => textField(feature, 'name'));
          return [
            {
              e164,
              country_code: query.country_code,
              number_type: query.number_type,
              capabilities: (['voice', 'sms'] as const).filter((name) => features.includes(name)),
              monthly_cents: cents(textField(number, 'cost_information', 'monthly_cost')),
              setup_cents: cents(textField(number, 'cost_information', 'upfront_cost')),
              currency: textField(number, 'cost_information', 'currency') ?? 'USD',
              readiness: ready_countries.has(query.country_code) ? 'ready' : 'verification_required',
            },
          ];
        });
        return { outcome: 'found', offers };
      },

      async buy(order) {
        const { verification_reference: requirement_group_id } = order;
        const answer = await send('POST', '/number_orders', {
          phone_numbers: [
            { phone_number: order.e164, ...(requirement_group_id && { requirement_group_id }) },
          ],
          customer_reference: order.reference,
          messaging_profile_id: settings.messaging_profile_id,
          ...(settings.connection_id && { connection_id: settings.connection_id }),
        });
        if (answer.outcome !== 'answered') return answer;
        if (answer.status < 300) return orderResult(order, field(answer.json, 'data'));
        const { detail } = errorIn(answer.json);
        if (answer.status !== 401 && /no longer available|not available|unavailable|already/i.test(detail))
          return { outcome: 'taken' };
        return refused(answer.status, answer.json);
      },

      async findPurchase(order) {
        const answer = await get('/number_orders', [['filter[customer_reference]', order.reference]]);
        if (answer.outcome !== 'answered') return answer;
        if (answer.status !== 200) return refused(answer.status, answer.json);
        const made = listField(answer.json, 'data').find(
          (each) => textField(each, 'customer_reference') === order.reference,
        );
        return made ? orderResult(order, made) : { outcome: 'absent' };
      },

      // Telnyx sends a number's texts to the webhook of its messaging profile, and its calls to its connection.
      async registerInbound({ provider_number_id }) {
        const id = encodeURIComponent(provider_number_id);
        const texts = await send('PATCH', `/phone_numbers/${id}/messaging`, {
          messaging_profile_id: settings.messaging_profile_id,
        });
        if (texts.outcome !== 'answered') return texts;
        if (texts.status !== 200) return refused(texts.status, texts.json);
        if (settings.connection_id === null) return { outcome: 'done' };
        const calls = await send('PATCH', `/phone_numbers/${id}`, { connection_id: settings.connection_id });
        if (calls.outcome !== 'answered') return calls;
        return calls.status === 200 ? { outcome: 'done' } : refused(calls.status, calls.json);
      },

      async release({ provider_number_id }) {
        const url = `${settings.base_url}/phone_numbers/${encodeURIComponent(provider_number_id)}`;
        const answer = await exchange({ method: 'DELETE', url, headers });
        if (answer.outcome !== 'answered') return answer;
        return answer.status < 300 || answer.status === 404
          ? { outcome: 'done' }
          : refused(answer.status, answer.json);
      },
    },

    verification: null,
    voice: calls?.voice ?? null,
    openMedia: calls?.openMedia ?? null,
    listener: null,

    async callState(provider_call_id) {
      const answer = await get(`/calls/${encodeURIComponent(provider_call_id)}`);
      if (answer.outcome !== 'answered') return answer;
      if (answer.status === 404 || answer.status === 422) return { outcome: 'ended' };
      if (answer.status !== 200) return refused(answer.status, answer.json);
      return { outcome: field(answer.json, 'data', 'is_alive') === true ? 'live' : 'ended' };
    },

    readCallback({ url, headers: given, body }) {
      const signature = given['telnyx-signature-ed25519'];
      const timestamp = given['telnyx-timestamp'];
      if (typeof signature !== 'string' || typeof timestamp !== 'string' || !isUtf8(body)) {
        return { outcome: 'forged', detail: 'no signature' };
      }
      if (!isSigned(key, { signature, timestamp, body }, settings.now_ms())) {
        return { outcome: 'forged', detail: 'the signature does not fit the body, or is too old' };
      }
      const events = newsIn(body.toString(), new URL(url).searchParams.get('sms'), calls?.read ?? null);
      return {
        outcome: 'authentic',
        events,
        answer: () => ({ content_type: 'application/json', body: '{}' }),
      };
    },
  };
}

function newsIn(
  text: string,
  named: string | null,
  readCall: ((type: string, payload: unknown) => CarrierEvent[] | null) | null,
): CarrierEvent[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [{ kind: 'unknown', detail: 'the body is not JSON' }];
  }
  const type = textField(json, 'data', 'event_type') ?? '';
  const payload = field(json, 'data', 'payload');
  const of_call = readCall?.(type, payload);
  if (of_call) return of_call;
  const id = textField(payload, 'id');
  if (type === 'message.received' && id) {
    const from = textField(payload, 'from', 'phone_number');
    const to = textField(payload, 'to', 0, 'phone_number');
    if (from && to) {
      const body = textField(payload, 'text') ?? '';
      return [{ kind: 'text_received', provider_message_id: id, from, to, body }];
    }
  }
  if ((type === 'message.sent' || type === 'message.finalized') && id) {
    const status = textField(payload, 'to', 0, 'status') ?? '';
    const outcome = textOutcome(status, textField(payload, 'errors', 0, 'code'));
    const sms_id = named && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(named) ? named : null;
    return outcome ? [{ kind: 'text_changed', provider_message_id: id, sms_id, text: outcome }] : [];
  }
  return [{ kind: 'unknown', detail: type.slice(0, 100) }];
}
