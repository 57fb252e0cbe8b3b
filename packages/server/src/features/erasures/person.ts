// Who is erased: numbers, addresses and names, and the pattern that finds them in any text.
import { recipientKey } from '../consents/index.ts';

export type Person = {
  /** E.164 numbers and addresses as they were given. */
  parties: readonly string[];
  names: readonly string[];
};

export const keysOf = ({ parties }: Person): string[] => [...new Set(parties.map(recipientKey))];
export const phonesOf = ({ parties }: Person): string[] => parties.filter((party) => party.startsWith('+'));
export const addressesOf = (person: Person): string[] => [
  ...new Set(
    person.parties
      .filter((party) => !party.startsWith('+'))
      .flatMap((party) => [party.toLowerCase(), recipientKey(party)]),
  ),
];

/** What stands in the place of the person from now on. */
export const erasedText = (erasure_id: string): string => `erased:${erasure_id}`;

/** A single word, such as "Ana", is the name of other people too: only full names are replaced in texts. */
export const isFullName = (name: string): boolean => name.trim().length >= 5 && /\S\s+\S/.test(name.trim());

const escaped = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/** +14155550100 is not a part of +141555501001; in a link the plus sign is %2B. */
const phonePattern = (phone: string): string => `(?:\\+|%2B)${phone.slice(1)}(?![0-9])`;

/** ana@example.com is not a part of diana@example.com or ana@example.com.br; in links and return paths @ is written differently. */
function addressPattern(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [escaped(address.slice(0, at)), escaped(address.slice(at + 1))];
  return `(?<![a-z0-9._+-])${local}(?:@|%40|=)${domain}(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** Words of a name may be separated by several spaces or a line end. */
const namePattern = (name: string): string =>
  `(?<!\\w)${name.trim().split(/\s+/).map(escaped).join('\\s+')}(?!\\w)`;

/** For PostgreSQL, without regard to case. A JSON text writes quotation marks in names in another way. */
export function personPattern(person: Person): string {
  const names = person.names.filter(isFullName).flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]);
  const parts = [
    ...phonesOf(person).map(phonePattern),
    ...addressesOf(person).map(addressPattern),
    ...[...new Set(names)].map(namePattern),
  ];
  return `(?:${parts.join('|')})`;
}
