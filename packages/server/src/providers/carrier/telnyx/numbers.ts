// Phone numbers of Telnyx: search, orders, registration for texts and calls, release.
import type { NumberPort, Offer, OfferQuery } from '../carrier.ts';
import { field, listField, textField } from '../carrier-http.ts';
import { errorIn, readOne, refused, segment, type TelnyxApi } from './api.ts';
import { orderResult } from './orders.ts';
import { readinessReader } from './registration/regulatory.ts';

type Settings = { messaging_profile_id: string; connection_id: string | null };

const cents = (price: string | null): number | null =>
  price !== null && /^\d+(\.\d+)?$/.test(price) ? Math.round(Number(price) * 100) : null;
const numberPath = (provider_number_id: string) => `/phone_numbers/${segment(provider_number_id)}`;

export const telnyxNumbers = (api: TelnyxApi, settings: Settings): NumberPort => ({
  search: numberSearch(api),

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
    const now = await readOne(api.get(`${path}/messaging`));
    if (now.outcome === 'busy' || now.outcome === 'lost') return now;
    // The number may be in the profile of its organization already.
    if (now.outcome !== 'found' || textField(now.json, 'data', 'messaging_profile_id') === null) {
      const texts = await api.patch(`${path}/messaging`, { messaging_profile_id });
      if (texts.outcome !== 'response') return texts;
      if (texts.status !== 200) return refused(texts.status, texts.json);
    }
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

function numberSearch(api: TelnyxApi): NumberPort['search'] {
  const readinessOf = readinessReader(api);
  return async (query) => {
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
    const numbers = listField(json, 'data');
    if (numbers.length === 0) return { outcome: 'found', offers: [] };
    const known = await readinessOf(query);
    if (known.outcome === 'busy' || known.outcome === 'lost') return known;
    // Where Telnyx does not say what it needs, its order would be refused.
    const readiness = known.outcome === 'found' ? known.readiness : 'verification_required';
    return { outcome: 'found', offers: numbers.flatMap((number) => offerOf(query, number, readiness)) };
  };
}

function offerOf(query: OfferQuery, number: unknown, readiness: Offer['readiness']): Offer[] {
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
      readiness,
    },
  ];
}
