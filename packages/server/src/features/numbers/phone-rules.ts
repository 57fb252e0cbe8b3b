// What a phone number says about itself: its country, and whether it may be contacted at all.
import parsePhoneNumber, { type PhoneNumber } from 'libphonenumber-js/max';

/** Where several countries share a calling code and none claims the number, the first is the main one. */
const homeOf = (number: PhoneNumber): string | null =>
  number.country ?? number.getPossibleCountries()[0] ?? null;

/** Two letters, or null for numbers of no country (satellite, international services). */
export function countryOf(e164: string): string | null {
  const number = parsePhoneNumber(e164);
  return number ? homeOf(number) : null;
}

export type DestinationVerdict =
  | { allowed: true; country_code: string | null }
  | { allowed: false; reason: string };

const known = new Map<string, DestinationVerdict>();
const max_known = 10_000;

/** The same few people are contacted again and again, and reading a number takes longer than the rest of a request. */
export function checkDestination(e164: string): DestinationVerdict {
  const before = known.get(e164);
  if (before) return before;
  if (known.size >= max_known) known.clear();
  const verdict = verdictOn(e164);
  known.set(e164, verdict);
  return verdict;
}

/** Emergency and short numbers are shorter than any number of their country; premium ones charge whoever contacts them. */
function verdictOn(e164: string): DestinationVerdict {
  const number = parsePhoneNumber(e164);
  if (!number?.isPossible())
    return { allowed: false, reason: 'No phone number of that country has this form.' };
  const type = number.getType();
  if (type === 'PREMIUM_RATE' || type === 'SHARED_COST') {
    return { allowed: false, reason: 'The number charges its callers.' };
  }
  return { allowed: true, country_code: homeOf(number) };
}
