// Phone numbers of Twilio: search, purchase, registration of the callback URL, release.
import type { NumberOrder, NumberPort, Offer, OfferQuery } from '../carrier.ts';
import { field, listField, textField } from '../carrier-http.ts';
import { errorIn, refused, type TwilioApi } from './api.ts';
import { number_lists, taken_codes } from './translate.ts';

/** Twilio stores this name with the number, so a purchase can be found by it. */
const friendlyName = (order: NumberOrder) => `parley ${order.reference}`;
const numberPath = (provider_number_id: string) =>
  `/IncomingPhoneNumbers/${encodeURIComponent(provider_number_id)}.json`;

export const twilioNumbers = (api: TwilioApi, callbackUrl: () => string): NumberPort => ({
  async search(query) {
    if (query.number_type === 'national') return { outcome: 'number_type_not_supported' };
    const list = number_lists[query.number_type];
    const response = await api.get(`/AvailablePhoneNumbers/${query.country_code}/${list}.json`, {
      ...(query.capabilities.includes('sms') && { SmsEnabled: 'true' }),
      ...(query.capabilities.includes('voice') && { VoiceEnabled: 'true' }),
      ...(query.e164 !== undefined && { Contains: query.e164.slice(1) }),
      PageSize: String(query.limit),
    });
    if (response.outcome !== 'response') return response;
    if (response.status === 404) {
      return {
        outcome: query.number_type === 'local' ? 'country_not_supported' : 'number_type_not_supported',
      };
    }
    if (response.status !== 200) return refused(response.status, response.json);
    const offers = listField(response.json, 'available_phone_numbers').flatMap((number) =>
      offerOf(query, number),
    );
    return { outcome: 'found', offers };
  },

  async buy(order) {
    const response = await api.post('/IncomingPhoneNumbers.json', {
      PhoneNumber: order.e164,
      FriendlyName: friendlyName(order),
      ...(order.verification && { BundleSid: order.verification.reference }),
      ...(order.verification?.address_reference && { AddressSid: order.verification.address_reference }),
    });
    if (response.outcome !== 'response') return response;
    const { status, json } = response;
    const sid = textField(json, 'sid');
    if (status === 201 && sid) return { outcome: 'bought', provider_number_id: sid };
    if (status < 300) return { outcome: 'lost', detail: `status ${status} without a number` };
    return taken_codes.has(errorIn(json).code) ? { outcome: 'taken' } : refused(status, json);
  },

  async findPurchase(order) {
    const response = await api.get('/IncomingPhoneNumbers.json', { PhoneNumber: order.e164, PageSize: '20' });
    if (response.outcome !== 'response') return response;
    if (response.status !== 200) return refused(response.status, response.json);
    const held = listField(response.json, 'incoming_phone_numbers').filter(
      (number) => textField(number, 'phone_number') === order.e164,
    );
    const ours = held.find((number) => textField(number, 'friendly_name') === friendlyName(order));
    if (ours) return { outcome: 'bought', provider_number_id: textField(ours, 'sid')! };
    return held.length > 0 ? { outcome: 'taken' } : { outcome: 'absent' };
  },

  async registerInbound({ provider_number_id }) {
    const url = callbackUrl();
    const response = await api.post(numberPath(provider_number_id), {
      SmsUrl: url,
      SmsMethod: 'POST',
      VoiceUrl: url,
      VoiceMethod: 'POST',
    });
    if (response.outcome !== 'response') return response;
    return response.status === 200 ? { outcome: 'done' } : refused(response.status, response.json);
  },

  async release({ provider_number_id }) {
    const response = await api.delete(numberPath(provider_number_id));
    if (response.outcome !== 'response') return response;
    return response.status === 204 || response.status === 404
      ? { outcome: 'done' }
      : refused(response.status, response.json);
  },
});

function offerOf(query: OfferQuery, number: unknown): Offer[] {
  const e164 = textField(number, 'phone_number');
  if (!e164 || (query.e164 !== undefined && e164 !== query.e164)) return [];
  const has = (name: string) => field(number, 'capabilities', name) === true;
  const needs_address = (textField(number, 'address_requirements') ?? 'none') !== 'none';
  return [
    {
      e164,
      country_code: query.country_code,
      number_type: query.number_type,
      capabilities: [
        ...(has('voice') ? (['voice'] as const) : []),
        ...(has('SMS') || has('sms') ? (['sms'] as const) : []),
      ],
      // This list has no prices; Twilio charges its list price.
      monthly_cents: null,
      setup_cents: null,
      currency: 'USD',
      readiness: needs_address ? 'verification_required' : 'ready',
    },
  ];
}
