// Phone numbers of Telnyx: search, orders, registration for texts and calls, release.
import type {
  CarrierFailure,
  NumberOrder,
  NumberPort,
  Offer,
  OfferQuery,
  PurchaseResult,
} from '../carrier.ts';
import { field, listField, textField } from '../carrier-http.ts';
import { errorIn, refused, type TelnyxApi } from './api.ts';
import { ready_countries } from './translate.ts';

type Settings = { messaging_profile_id: string; connection_id: string | null };

const cents = (price: string | null): number | null =>
  price !== null && /^\d+(\.\d+)?$/.test(price) ? Math.round(Number(price) * 100) : null;
const numberPath = (provider_number_id: string) => `/phone_numbers/${encodeURIComponent(provider_number_id)}`;

export const telnyxNumbers = (api: TelnyxApi, settings: Settings): NumberPort => ({
  async search(query) {
    const response = await api.get('/available_phone_numbers', [
      ['filter[country_code]', query.country_code],
      ['filter[phone_number_type]', query.number_type],
      ['filter[features]', query.capabilities.join(',')],
      ...(query.e164 === undefined
        ? []
        : [['filter[phone_number][contains]', query.e164.slice(1)] as [string, string]]),
      ['filter[limit]', String(query.limit)],
    ]);
    if (response.outcome !== 'response') return response;
    const { status, json } = response;
    if (status === 400 || status === 422) {
      const parameter = textField(json, 'errors', 0, 'source', 'parameter') ?? '';
      if (parameter.includes('phone_number_type')) return { outcome: 'number_type_not_supported' };
      if (parameter.includes('country_code')) return { outcome: 'country_not_supported' };
    }
    if (status !== 200) return refused(status, json);
    const offers = listField(json, 'data').flatMap((number) => offerOf(query, number));
    return { outcome: 'found', offers };
  },

  async buy(order) {
    const requirement_group_id = order.verification?.reference;
    const response = await api.post('/number_orders', {
      phone_numbers: [{ phone_number: order.e164, ...(requirement_group_id && { requirement_group_id }) }],
      customer_reference: order.reference,
      messaging_profile_id: settings.messaging_profile_id,
      ...(settings.connection_id && { connection_id: settings.connection_id }),
    });
    if (response.outcome !== 'response') return response;
    const { status, json } = response;
    if (status < 300) return orderResult(api, order, field(json, 'data'));
    const is_taken = /no longer available|not available|unavailable|already/i.test(errorIn(json).detail);
    return status !== 401 && is_taken ? { outcome: 'taken' } : refused(status, json);
  },

  async findPurchase(order) {
    const response = await api.get('/number_orders', [['filter[customer_reference]', order.reference]]);
    if (response.outcome !== 'response') return response;
    if (response.status !== 200) return refused(response.status, response.json);
    const ours = listField(response.json, 'data').find(
      (each) => textField(each, 'customer_reference') === order.reference,
    );
    return ours ? orderResult(api, order, ours) : { outcome: 'absent' };
  },

  // Telnyx sends a number's texts to the webhook of its messaging profile, and its calls to its connection.
  async registerInbound({ provider_number_id }) {
    const path = numberPath(provider_number_id);
    const { messaging_profile_id, connection_id } = settings;
    const texts = await api.patch(`${path}/messaging`, { messaging_profile_id });
    if (texts.outcome !== 'response') return texts;
    if (texts.status !== 200) return refused(texts.status, texts.json);
    if (connection_id === null) return { outcome: 'done' };
    const calls = await api.patch(path, { connection_id });
    if (calls.outcome !== 'response') return calls;
    return calls.status === 200 ? { outcome: 'done' } : refused(calls.status, calls.json);
  },

  async release({ provider_number_id }) {
    const response = await api.delete(numberPath(provider_number_id));
    if (response.outcome !== 'response') return response;
    return response.status < 300 || response.status === 404
      ? { outcome: 'done' }
      : refused(response.status, response.json);
  },
});

function offerOf(query: OfferQuery, number: unknown): Offer[] {
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
}

/** The result of an order. An ordered number may not be in the account yet; then it is pending. */
async function orderResult(api: TelnyxApi, order: NumberOrder, data: unknown): Promise<PurchaseResult> {
  const order_id = textField(data, 'id') ?? '';
  if (textField(data, 'status') === 'failure') {
    return { outcome: 'refused', code: 'order_failed', detail: 'the order failed' };
  }
  if (textField(data, 'status') !== 'success') return { outcome: 'pending', provider_number_id: order_id };
  const number = await findNumberId(api, order.e164);
  return number.outcome === 'known' && number.id !== null
    ? { outcome: 'bought', provider_number_id: number.id }
    : { outcome: 'pending', provider_number_id: order_id };
}

/** Telnyx's id of a number in the account. */
async function findNumberId(
  api: TelnyxApi,
  e164: string,
): Promise<{ outcome: 'known'; id: string | null } | CarrierFailure> {
  const response = await api.get('/phone_numbers', [['filter[phone_number]', e164]]);
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  const number = listField(response.json, 'data').find((each) => textField(each, 'phone_number') === e164);
  return { outcome: 'known', id: textField(number, 'id') };
}
