// Builds the caller for the credential of a user; null when the user is not a member.
import type { Caller, CredentialKind } from '../../../platform/http/context.ts';
import type { Person } from './store.ts';

export const callerOf = (
  person: Person,
  credential: {
    credential_kind: Exclude<CredentialKind, 'shared_key' | 'operator_key' | 'conversation_token'>;
    credential_id: string;
    lineage?: readonly string[];
    scopes: readonly string[];
    expires_ms: number | null;
    grants_consent?: boolean;
    /** Whether a superadmin may use this credential for admin operations. */
    allows_superadmin: boolean;
  },
): Caller | null =>
  person.role && {
    identity: {
      auth_kind: credential.credential_kind === 'api_key' ? 'apikey' : 'jwt',
      organization_id: person.organization_id,
      user_id: person.user_id,
      email: person.email,
      name: person.name,
      superadmin: person.superadmin && credential.allows_superadmin,
    },
    credential_kind: credential.credential_kind,
    credential_id: credential.credential_id,
    ...(credential.lineage?.length ? { lineage: credential.lineage } : {}),
    scopes: credential.scopes,
    expires_ms: credential.expires_ms,
    grants_consent: credential.grants_consent ?? false,
    superadmin_withheld: person.superadmin && !credential.allows_superadmin,
    role: person.role,
  };
