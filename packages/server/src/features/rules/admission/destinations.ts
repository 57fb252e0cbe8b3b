// Which phone numbers may be contacted, and which of them over real carriers.
import parsePhoneNumber, { type PhoneNumber } from 'libphonenumber-js/max';
import type { Destinations } from '../../../config/admission.ts';

/** What can be read from a number. `country_code` is null for international networks and services. */
export type NumberReading = { ok: true; country_code: string | null } | { ok: false; reason: string };
export type DestinationVerdict = { allowed: true } | { allowed: false; reason: string };

/** Inmarsat, Iridium, Globalstar and other networks without a country. +880 and +886 are Bangladesh and Taiwan. */
const network_prefix = /^\+8[78]/;

const cache = new Map<string, NumberReading>();
const max_cached = 10_000;

/** Cached, because most traffic goes to few numbers, and parsing a number takes longer than the rest of a request. */
export function readNumber(e164: string): NumberReading {
  const cached = cache.get(e164);
  if (cached) return cached;
  if (cache.size >= max_cached) cache.clear();
  const reading = parseNumber(e164);
  cache.set(e164, reading);
  return reading;
}

/** When several countries share a calling code and the number matches none of them, the first is the main country. */
const countryOf = (number: PhoneNumber): string | null =>
  number.country ?? number.getPossibleCountries()[0] ?? null;

/** Refuses emergency and short numbers, which are too short for their country, and premium numbers. */
function parseNumber(e164: string): NumberReading {
  const number = parsePhoneNumber(e164);
  if (!number?.isPossible()) return { ok: false, reason: 'No phone number of that country has this form.' };
  const type = number.getType();
  if (type === 'PREMIUM_RATE' || type === 'SHARED_COST') {
    return { ok: false, reason: 'The number charges its callers.' };
  }
  return { ok: true, country_code: countryOf(number) };
}

/** `allowed` is null in the sandbox, where every country is allowed. */
export function judgeDestination(e164: string, allowed: Destinations | null): DestinationVerdict {
  const reading = readNumber(e164);
  if (!reading.ok) return { allowed: false, reason: reading.reason };
  const { country_code } = reading;
  if (country_code === null) {
    const is_listed = allowed?.networks.some((prefix) => e164.startsWith(prefix)) ?? false;
    if (is_listed || (allowed === null && !network_prefix.test(e164))) return { allowed: true };
    return { allowed: false, reason: 'Numbers of satellite and international networks are not contacted.' };
  }
  if (allowed === null || allowed.countries === '*' || allowed.countries.has(country_code)) {
    return { allowed: true };
  }
  return { allowed: false, reason: `This server does not contact numbers in ${country_code}.` };
}
