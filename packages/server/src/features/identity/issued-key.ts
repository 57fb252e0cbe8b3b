// Recognises issued keys: hashed, looked up, and valid through the owner's membership.
import { api_key_prefix } from '@parley/contract/api-keys';
import { admin_scope } from '@parley/contract/roles';
import type { Clock } from '../../platform/clock.ts';
import { sha256Base64url } from '../../platform/crypto.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Authenticator, Caller } from '../../platform/http/context.ts';
import type { Log } from '../../platform/log.ts';
import type { TtlCache } from '../../platform/ttl-cache.ts';
import { callerCache } from './caller-cache.ts';
import { callerOf } from './caller-of.ts';
import type { IdentityStore, KeyOwner } from './store.ts';

const noted_every_ms = 60_000;

type Known = { id: string; caller: Caller | null; expires_ms: number | null; noted_ms: number };

export function issuedKeyAuthenticator(deps: {
  store: IdentityStore;
  version: TtlCache<number>;
  clock: Clock;
  log: Log;
}): Authenticator {
  const { store, clock, log } = deps;
  const cache = callerCache<Known>(deps);

  const known = (owner: KeyOwner | null): Known | null =>
    owner && {
      id: owner.id,
      expires_ms: owner.expires_ms,
      noted_ms: -Infinity,
      caller: callerOf(owner, {
        credential_kind: 'api_key',
        credential_id: `key:${owner.id}`,
        scopes: owner.scopes,
        expires_ms: owner.expires_ms,
        carries_superadmin: owner.scopes.includes(admin_scope),
      }),
    };

  const admit = (found: Known | null): Caller | null => {
    const now_ms = clock.ms();
    if (!found || (found.expires_ms !== null && found.expires_ms <= now_ms)) return null;
    if (!found.caller) throw new ApiError('user_not_provisioned');
    if (now_ms - found.noted_ms >= noted_every_ms) {
      found.noted_ms = now_ms;
      // Nobody waits for it: a use that is not noted is found out a minute later.
      store
        .noteUse([found.id], new Date(now_ms))
        .catch((error) => log.warn({ err: error }, 'the use of a key was not noted'));
    }
    return found.caller;
  };

  return (bearer) => {
    if (!bearer.startsWith(api_key_prefix)) return null;
    const hash = sha256Base64url(bearer);
    const found = cache.get(hash, async () => known(await store.ownerOfKey(hash)));
    return found instanceof Promise ? found.then(admit) : admit(found);
  };
}
