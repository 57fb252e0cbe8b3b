// What every step of an erasure gets: whose data, which person, and what stands in their place.
import type { PartyHash } from '../../../../platform/party-hash.ts';
import type { ErasedPerson, PersonalData, PersonParties } from '../../../../platform/personal-data.ts';
import { addressesOf, erasedText, keysOf, type Person, phonesOf } from './person.ts';
import { personText } from './person-text.ts';
import { recordQueries } from './record-query-store.ts';

export type Erased = ErasedPerson & {
  /** The id of the erasure. */
  id: string;
  person: Person;
};

export const partiesOf = (organization_id: string, person: Person): PersonParties => ({
  organization_id,
  keys: keysOf(person),
  phones: phonesOf(person),
  addresses: addressesOf(person),
});

export function erasedPerson(
  { personal_data, partyHash }: { personal_data: readonly PersonalData[]; partyHash: PartyHash },
  asked: Pick<Erased, 'id' | 'organization_id' | 'contact_id' | 'keep_suppression' | 'created_at' | 'person'>,
): Erased {
  const { organization_id, id, person } = asked;
  return {
    ...asked,
    ...partiesOf(organization_id, person),
    ...recordQueries(asked, personal_data),
    ...personText(person, erasedText(id)),
    text: erasedText(id),
    hashOf: (key) => partyHash(organization_id, key),
  };
}
