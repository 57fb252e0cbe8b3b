// The numbers of a trunk that its operator lists in the settings, because they are bought elsewhere.
import { type CountryCode, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import type { NumberPort } from './carrier.ts';

export function listedNumbers(numbers: readonly string[]): NumberPort {
  /** The settings contain no country, so a number belongs to every country with its calling code. */
  const isIn = (e164: string, country: string) =>
    isSupportedCountry(country) && e164.startsWith(`+${getCountryCallingCode(country as CountryCode)}`);

  return {
    async search({ country_code, number_type, capabilities, e164, limit }) {
      const in_country = numbers.filter((number) => isIn(number, country_code));
      if (in_country.length === 0) return { outcome: 'country_not_supported' };
      const is_voice_only = capabilities.every((capability) => capability === 'voice');
      const matching = in_country.filter(
        (number) => is_voice_only && (e164 === undefined || number === e164),
      );
      return {
        outcome: 'found',
        offers: matching.slice(0, limit).map((number) => ({
          e164: number,
          country_code,
          number_type,
          capabilities: ['voice'],
          // Paid to the trunk's provider.
          monthly_cents: null,
          setup_cents: null,
          currency: 'USD',
          readiness: 'ready',
        })),
      };
    },
    buy: async ({ e164 }) =>
      numbers.includes(e164) ? { outcome: 'bought', provider_number_id: e164 } : { outcome: 'taken' },
    findPurchase: async ({ e164 }) =>
      numbers.includes(e164) ? { outcome: 'bought', provider_number_id: e164 } : { outcome: 'absent' },
    // The trunk already sends us its calls.
    registerInbound: async () => ({ outcome: 'done' }),
    release: async () => ({ outcome: 'done' }),
  };
}
