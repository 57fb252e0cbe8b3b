// Shared-key mode: one key from the environment. It acts for the nil organization and needs no lookup.
import { nil_uuid } from '@parley/contract/limits';
import { secretMatcher } from '../../platform/crypto.ts';
import type { Authenticator, Caller } from '../../platform/http/context.ts';

export function sharedKeyAuthenticator(key: string): Authenticator {
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
    credential_id: 'shared_key',
    expires_ms: null,
    superadmin_withheld: false,
    scopes: ['*'],
    role: 'owner',
  };
  const isKey = secretMatcher(key);
  return (bearer) => (isKey(bearer) ? caller : null);
}
