// Authenticates issued keys: looked up by hash, and valid while the owner is a member.
import { api_key_prefix } from '@parley/contract/access/credentials/api-keys';
import { admin_scope } from '@parley/contract/access/roles';
import { nil_uuid } from '@parley/contract/limits';
import type { Clock } from '../../../../platform/clock.ts';
import { sha256Base64url } from '../../../../platform/crypto.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Authenticator, Caller } from '../../../../platform/http/context.ts';
import type { Log } from '../../../../platform/log.ts';
import { callerCache } from '../caller-cache.ts';
import { callerOf } from '../caller-of.ts';
import { type CredentialChanges, subjectOf } from '../credential-changes.ts';
import type { IdentityStore, KeyOwner } from '../store.ts';
import type { SharedKeyFingerprints } from './shared-key.ts';

/** The last use of a key is stored at most once in this time. */
const use_stored_every_ms = 60_000;

/** How logs, budgets and rules name a key. */
export const keyCredential = (id: string): string => `key:${id}`;
export const keyOfCredential = (credential_id: string): string | null =>
  credential_id.startsWith('key:') ? credential_id.slice('key:'.length) : null;

type CachedKey = {
  id: string;
  caller: Caller | null;
  expires_ms: number | null;
  use_stored_ms: number;
  subjects: readonly string[];
};

export function issuedKeyAuthenticator(deps: {
  store: IdentityStore;
  changes: CredentialChanges;
  clock: Clock;
  log: Log;
  managed: boolean;
  shared_keys: SharedKeyFingerprints;
}): Authenticator {
  const { store, clock, log } = deps;
  const cache = callerCache<CachedKey>(deps);

  /** Without managed mode only the keys of the shared key's organization work, and these only while their shared key is set. */
  const usable = (owner: KeyOwner | null): KeyOwner | null => {
    if (!owner || (!deps.managed && owner.organization_id !== nil_uuid)) return null;
    return owner.issued_with === null || deps.shared_keys.has(owner.issued_with) ? owner : null;
  };

  const toCached = (owner: KeyOwner | null): CachedKey | null =>
    owner && {
      id: owner.id,
      expires_ms: owner.expires_ms,
      use_stored_ms: -Infinity,
      subjects: [
        subjectOf.organization(owner.organization_id),
        subjectOf.user(owner.user_id),
        ...[owner.id, ...owner.ancestor_key_ids].map(keyCredential),
      ],
      caller: callerOf(owner, {
        credential_kind: 'api_key',
        credential_id: keyCredential(owner.id),
        lineage: owner.ancestor_key_ids.map(keyCredential),
        scopes: owner.scopes,
        grants_consent: owner.grants_consent,
        expires_ms: owner.expires_ms,
        allows_superadmin: owner.scopes.includes(admin_scope),
      }),
    };

  const callerIfValid = (found: CachedKey | null): Caller | null => {
    const now_ms = clock.ms();
    if (!found) return null;
    // Before the expiry: the keys of a member expire with the membership.
    if (!found.caller) throw new ApiError('user_not_provisioned');
    if (found.expires_ms !== null && found.expires_ms <= now_ms) return null;
    if (now_ms - found.use_stored_ms >= use_stored_every_ms) {
      found.use_stored_ms = now_ms;
      // The request does not wait for it: if it fails, the next use after a minute is stored.
      store
        .storeKeyUse([found.id], new Date(now_ms))
        .catch((error) => log.warn({ err: error }, 'storing the use of a key failed'));
    }
    return found.caller;
  };

  return (bearer) => {
    if (!bearer.startsWith(api_key_prefix)) return null;
    const hash = sha256Base64url(bearer);
    const owner = cache.get(hash, async () => toCached(usable(await store.findKeyOwner(hash))));
    return owner instanceof Promise ? owner.then(callerIfValid) : callerIfValid(owner);
  };
}
