// Shared-key mode: one key from the environment, and during a rotation the previous one too. It acts for the nil organization and needs no lookup.
import { nil_uuid } from '@parley/contract/limits';
import { secretMatcher } from '../../platform/crypto.ts';
import type { Authenticator, Caller } from '../../platform/http/context.ts';

/** The audit log shows which of the keys was used, so that an operator sees when the previous one is no longer in use. */
type SharedKeyId = 'shared_key' | 'shared_key:previous';

export function sharedKeyAuthenticator(
  key: string,
  credential_id: SharedKeyId = 'shared_key',
): Authenticator {
  const caller: Caller = {
    identity: {
      auth_kind: 'shared_key',
      organization_id: nil_uuid,
      user_id: nil_uuid,
      email: null,
      name: 'Shared key',
      superadmin: true,
    },
    credential_kind: 'shared_key',
    credential_id,
    expires_ms: null,
    superadmin_withheld: false,
    scopes: ['*'],
    role: 'owner',
  };
  const isKey = secretMatcher(key);
  return (bearer) => (isKey(bearer) ? caller : null);
}
