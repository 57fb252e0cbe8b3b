// Numbers of the sandbox carrier: a fixed stock, with fixed outcomes for reserved numbers.
import { randomInt } from 'node:crypto';
import type { NumberPort, Offer, OfferQuery } from '../carrier.ts';
import { needsCampaign, needsTollFree, purchases, stock } from './reserved-numbers.ts';

export const sandbox_numbers: NumberPort = {
  async search(query) {
    const in_country = stock.filter(({ country_code }) => country_code === query.country_code);
    if (in_country.length === 0) return { outcome: 'country_not_supported' };
    const matching = in_country.filter(
      ({ number_type, capabilities }) =>
        number_type === query.number_type &&
        query.capabilities.every((capability) => capabilities.includes(capability)),
    );
    if (matching.length === 0) return { outcome: 'number_type_not_supported' };
    return { outcome: 'found', offers: matching.flatMap((range) => offersOf(range, query)) };
  },
  async buy({ reference, e164 }) {
    const behavior = purchases[e164];
    if (behavior === 'refused')
      return { outcome: 'refused', code: 'sandbox', detail: 'The number cannot be sold.' };
    if (behavior === 'taken') return { outcome: 'taken' };
    if (behavior === 'answer_lost') return { outcome: 'lost', detail: 'reserved number' };
    return {
      outcome: behavior === 'pending' ? 'pending' : 'bought',
      provider_number_id: `sandbox-${reference}`,
    };
  },
  async findPurchase({ reference, e164 }) {
    if (purchases[e164] === 'refused' || purchases[e164] === 'taken') return { outcome: 'absent' };
    return { outcome: 'bought', provider_number_id: `sandbox-${reference}` };
  },
  registerInbound: async () => ({ outcome: 'done' }),
  release: async () => ({ outcome: 'done' }),
};

/** Offers start at a random number, so that two developers rarely get the same ones. */
function offersOf(range: (typeof stock)[number], query: OfferQuery): Offer[] {
  const { prefix, first, last, capabilities, ...terms } = range;
  const width = String(last).length;
  const size = last - first + 1;
  const number = (index: number) => `${prefix}${String(first + (index % size)).padStart(width, '0')}`;
  const start = randomInt(size);
  // Numbers with a special behavior are sold only to those who ask for them.
  const isOrdinary = (e164: string) => !purchases[e164] && !needsCampaign(e164) && !needsTollFree(e164);
  const all = Array.from({ length: size }, (_, i) => number(start + i));
  const numbers =
    query.e164 === undefined
      ? all.filter(isOrdinary).slice(0, query.limit)
      : all.filter((e164) => e164 === query.e164);
  return numbers.map((e164) => ({ ...terms, e164, capabilities: [...capabilities], currency: 'USD' }));
}
