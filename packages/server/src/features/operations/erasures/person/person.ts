// Who is erased: numbers, addresses and names.
import { recipientKey } from '../../../rules/consents/index.ts';

export type Person = {
  /** E.164 numbers and addresses as they were given. */
  parties: readonly string[];
  /** From the contact or the request only: somebody who writes mail chooses the display name, and so could erase any words. */
  names: readonly string[];
  /** Display names that the person wrote mail under. They are replaced only directly before the address. */
  display_names?: readonly string[];
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

/** A single word, such as "Ana", is the name of other people too: without a request only full names are replaced in texts. */
export const isFullName = (name: string): boolean => {
  const words = name.trim().split(/\s+/);
  return name.trim().length >= 5 && words.filter((word) => /\p{L}/u.test(word)).length >= 2;
};
