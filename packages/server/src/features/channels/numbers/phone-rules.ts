// The country of a phone number.
import parsePhoneNumber from 'libphonenumber-js/max';

/** Two letters, or null for numbers of no country (satellite, international services). */
export function countryOf(e164: string): string | null {
  const number = parsePhoneNumber(e164);
  // Where several countries share a calling code and none claims the number, the first is the main one.
  return number ? (number.country ?? number.getPossibleCountries()[0] ?? null) : null;
}
