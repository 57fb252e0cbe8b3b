// Numbers of a trunk that somebody else sells: they are listed in the settings, and taken from there instead of bought.
import { type CountryCode, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import type { NumberPort } from './carrier.ts';

export function listedNumbers(numbers: readonly string[]): NumberPort {
  /** The settings say no country: every one with that calling code will do. */
  const isOf = (e164: string, country: string) =>
    isSupportedCountry(country) && e164.startsWith(`+${getCountryCallingCode(country as CountryCode)}`);

  return {
    async search({ country_code, number_type, capabilities, e164, limit }) {
      const there = numbers.filter((number) => isOf(number, country_code));
      if (there.length === 0) return { outcome: 'country_not_supported' };
      const can = capabilities.every((capability) => capability === 'voice');
      const fitting = there.filter((number) => can && (e164 === undefined || number === e164));
      return {
        outcome: 'found',
        offers: fitting.slice(0, limit).map((number) => ({
          e164: number,
          country_code,
          number_type,
          capabilities: ['voice'],
          // Paid for at the trunk.
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
    // The trunk sends us its calls anyway.
    registerInbound: async () => ({ outcome: 'done' }),
    release: async () => ({ outcome: 'done' }),
  };
}
