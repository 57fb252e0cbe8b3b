// Searches numbers on sale and stores each offer with its price.

import type { NumberCapability, NumberOffer, NumberType } from '@parley/contract/channels/numbers/numbers';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../../platform/clock.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { GuardedCarrier, GuardedCarriers } from '../../../rules/admission/index.ts';
import { carrierTrouble } from '../carrier-trouble.ts';
import type { NumberStore } from '../store.ts';
import type { Quote, QuoteStore } from './quote-store.ts';

const offer_count = 10;

export type NumberSearch = {
  country_code: string;
  number_type: NumberType;
  capabilities: readonly NumberCapability[];
  e164?: string;
};

export function numberOffers(deps: {
  store: NumberStore;
  quotes: QuoteStore;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
}) {
  const { store, clock, ids } = deps;

  const activeCarrier = (): GuardedCarrier => {
    const carrier = deps.carriers.active;
    if (!carrier?.capabilities.numbers) throw new ApiError('carrier_not_configured');
    return carrier;
  };

  return {
    activeCarrier,

    /** Offers of numbers that are not held on this server; stored, so that a purchase can name one. */
    async quote(organization_id: string, search: NumberSearch): Promise<NumberOffer[]> {
      const carrier = activeCarrier();
      const found = await carrier.numbers.search({ ...search, limit: offer_count });
      if (found.outcome === 'country_not_supported' || found.outcome === 'number_type_not_supported') {
        throw new ApiError(found.outcome);
      }
      if (found.outcome !== 'found') throw carrierTrouble(found);
      const held = await store.heldAmong(found.offers.map((offer) => offer.e164));
      const expires_at = new Date(clock.ms() + limits.number_quote_minutes * 60_000).toISOString();
      const offers = found.offers
        .filter((offer) => !held.has(offer.e164))
        .map(
          (offer): NumberOffer => ({
            quote_id: ids.next(),
            provider: carrier.name,
            pattern: null,
            ...offer,
            expires_at,
          }),
        );
      const quotes = offers.map((offer): Quote => ({ id: offer.quote_id, organization_id, ...offer }));
      if (quotes.length > 0) await deps.quotes.insert(organization_id, quotes);
      return offers;
    },
  };
}
export type NumberOffers = ReturnType<typeof numberOffers>;
