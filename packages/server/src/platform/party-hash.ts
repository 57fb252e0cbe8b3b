// Keyed hashes of numbers and addresses: an erased person stays suppressed, and the database does not say who it is.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The HMAC of a party of an organization: an E.164 number, or the key of an address. */
export type PartyHash = (organization_id: string, party_key: string) => string;

const max_keys = 10_000;
/** Agents write to the same people again, and computing a hash takes 5 % of the processor time of creating a text. */
const max_hashes = 10_000;

/**
 * The key of an organization is derived from a key that the database has only in sealed form, so a send computes the hash
 * without a query.
 */
export function partyHasher(keyFor: (purpose: string) => Buffer): PartyHash {
  const keyOf = remembered(
    max_keys,
    (organization_id: string): KeyObject => createSecretKey(keyFor(`erased parties of ${organization_id}`)),
  );
  const hashOf = remembered(max_hashes, (party: string): string => {
    const space = party.indexOf(' ');
    const key = keyOf(party.slice(0, space));
    return `hmac:${createHmac('sha256', key)
      .update(party.slice(space + 1))
      .digest('base64url')}`;
  });
  // The id of an organization has no space.
  return (organization_id, party_key) => hashOf(`${organization_id} ${party_key}`);
}

/** Computes a value once, and again after it was forgotten because there were too many. */
function remembered<T>(max: number, compute: (name: string) => T): (name: string) => T {
  const results_by_party = new Map<string, T>();
  return (name) => {
    let value = results_by_party.get(name);
    if (value === undefined) {
      if (results_by_party.size >= max) results_by_party.clear();
      value = compute(name);
      results_by_party.set(name, value);
    }
    return value;
  };
}
