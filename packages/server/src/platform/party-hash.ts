// Keyed hashes of numbers and addresses: an erased person stays suppressed, and the database does not say who it is.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The HMAC of a party of an organization: an E.164 number, or the key of an address. */
export type PartyHash = (organization_id: string, party_key: string) => string;

const max_keys = 10_000;

/**
 * The key of an organization is derived from a key that the database has only in sealed form, so a send computes the hash
 * without a query.
 */
export function partyHasher(keyFor: (purpose: string) => Buffer): PartyHash {
  const keys = new Map<string, KeyObject>();
  const keyOf = (organization_id: string): KeyObject => {
    let key = keys.get(organization_id);
    if (!key) {
      if (keys.size >= max_keys) keys.clear();
      key = createSecretKey(keyFor(`erased parties of ${organization_id}`));
      keys.set(organization_id, key);
    }
    return key;
  };
  return (organization_id, party_key) =>
    `hmac:${createHmac('sha256', keyOf(organization_id)).update(party_key).digest('base64url')}`;
}
