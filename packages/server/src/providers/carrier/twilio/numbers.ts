// Phone numbers of Twilio: search, purchase, registration of the callback URL, release.
import type { NumberOrder, NumberPort, Offer, OfferQuery } from '../carrier.ts';
import { field, listField, textField } from '../carrier-http.ts';
import { errorIn, refused, type TwilioApi } from './api.ts';
import type { RegulationReader } from './registration/regulations.ts';
import { number_lists, taken_codes, verification_codes } from './translate.ts';

/** Twilio stores this name with the number, so a purchase can be found by it. */
const friendlyName = (order: NumberOrder) => `parley ${order.reference}`;
const numberPath = (provider_number_id: string) =>
  `/IncomingPhoneNumbers/${encodeURIComponent(provider_number_id)}.json`;

export const twilioNumbers = (
  api: TwilioApi,
  regulations: RegulationReader,
  callbackUrl: () => string,
): NumberPort => ({
  async search(query) {
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
    return { outcome: 'found', offers: await withRegulations(regulations, query, offers) };
  },

  async buy(order) {
    const response = await api.post('/IncomingPhoneNumbers.json', {
      PhoneNumber: order.e164,
      FriendlyName: friendlyName(order),
      ...verificationOf(order),
    });
    if (response.outcome !== 'response') return response;
    const { status, json } = response;
    const sid = textField(json, 'sid');
    if (status === 201 && sid) return { outcome: 'bought', provider_number_id: sid };
    if (status < 300) return { outcome: 'lost', detail: `status ${status} without a number` };
    const { code, detail } = errorIn(json);
    if (taken_codes.has(code)) return { outcome: 'taken' };
    if (verification_codes.has(code)) return { outcome: 'refused', code, detail, needs_verification: true };
    return refused(status, json);
  },

  async findPurchase(order) {
    const response = await api.get('/IncomingPhoneNumbers.json', { PhoneNumber: order.e164, PageSize: '20' });
    if (response.outcome !== 'response') return response;
    if (response.status !== 200) return refused(response.status, response.json);
    const own_numbers = listField(response.json, 'incoming_phone_numbers').filter(
      (number) => textField(number, 'phone_number') === order.e164,
    );
    const ours = own_numbers.find((number) => textField(number, 'friendly_name') === friendlyName(order));
    if (ours) return { outcome: 'bought', provider_number_id: textField(ours, 'sid')! };
    return own_numbers.length > 0 ? { outcome: 'taken' } : { outcome: 'absent' };
  },

  async registerInbound({ provider_number_id }) {
    const url = callbackUrl();
    const response = await api.post(numberPath(provider_number_id), {
      SmsUrl: url,
      SmsMethod: 'POST',
      VoiceUrl: url,
      VoiceMethod: 'POST',
      // Else the end of a call whose caller hangs up before its stream opens is not reported.
      StatusCallback: url,
      StatusCallbackMethod: 'POST',
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

/** Some numbers need an address and no bundle: then the verification is the address. */
function verificationOf({ verification }: NumberOrder): Record<string, string> {
  if (!verification) return {};
  const { reference, address_reference } = verification;
  if (reference.startsWith('AD')) return { AddressSid: reference };
  return { BundleSid: reference, ...(address_reference && { AddressSid: address_reference }) };
}

/** While the regulations cannot be read, the list of numbers decides alone; a purchase that needs more is refused then. */
async function withRegulations(
  regulations: RegulationReader,
  query: OfferQuery,
  offers: Offer[],
): Promise<Offer[]> {
  if (offers.every(({ readiness }) => readiness !== 'ready')) return offers;
  const regulation = await regulations.known(query);
  const is_regulated = regulation.outcome === 'found' && regulation.regulations.length > 0;
  return is_regulated ? offers.map((offer) => ({ ...offer, readiness: 'verification_required' })) : offers;
}

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
