// Which phone numbers may be contacted at all, and which over real carriers.
import parsePhoneNumber, { type PhoneNumber } from 'libphonenumber-js/max';
import type { Destinations } from '../../config/admission.ts';

/** What a number says about itself. `country_code` is null for international networks and services. */
export type NumberReading = { ok: true; country_code: string | null } | { ok: false; reason: string };
export type DestinationVerdict = { allowed: true } | { allowed: false; reason: string };

/** Inmarsat, Iridium, Globalstar and other networks of no country. +880 and +886 are Bangladesh and Taiwan. */
const network_prefix = /^\+8[78]/;

const known = new Map<string, NumberReading>();
const max_known = 10_000;

/** The same few people are contacted again and again, and reading a number takes longer than the rest of a request. */
export function readNumber(e164: string): NumberReading {
  const before = known.get(e164);
  if (before) return before;
  if (known.size >= max_known) known.clear();
  const reading = readAnew(e164);
  known.set(e164, reading);
  return reading;
}

/** Where several countries share a calling code and none claims the number, the first is the main one. */
const homeOf = (number: PhoneNumber): string | null =>
  number.country ?? number.getPossibleCountries()[0] ?? null;

/** Emergency and short numbers are shorter than any number of their country; premium ones charge whoever contacts them. */
function readAnew(e164: string): NumberReading {
  const number = parsePhoneNumber(e164);
  if (!number?.isPossible()) return { ok: false, reason: 'No phone number of that country has this form.' };
  const type = number.getType();
  if (type === 'PREMIUM_RATE' || type === 'SHARED_COST') {
    return { ok: false, reason: 'The number charges its callers.' };
  }
  return { ok: true, country_code: homeOf(number) };
}

/** `allowed` is null in the sandbox, where every country is. */
export function judgeDestination(e164: string, allowed: Destinations | null): DestinationVerdict {
  const reading = readNumber(e164);
  if (!reading.ok) return { allowed: false, reason: reading.reason };
  const { country_code } = reading;
  if (country_code === null) {
    const is_named = allowed?.networks.some((prefix) => e164.startsWith(prefix)) ?? false;
    if (is_named || (allowed === null && !network_prefix.test(e164))) return { allowed: true };
    return { allowed: false, reason: 'Numbers of satellite and international networks are not contacted.' };
  }
  if (allowed === null || allowed.countries === '*' || allowed.countries.has(country_code)) {
    return { allowed: true };
  }
  return { allowed: false, reason: `This server does not contact numbers in ${country_code}.` };
}
