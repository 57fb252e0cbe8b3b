// Makes the caller that a credential of a person stands for; null when the person is not a member.
import type { Caller, CredentialKind } from '../../platform/http/context.ts';
import type { Person } from './store.ts';

export const callerOf = (
  person: Person,
  credential: {
    credential_kind: Exclude<CredentialKind, 'shared_key'>;
    credential_id: string;
    scopes: readonly string[];
    expires_ms: number | null;
    /** Whether a superadmin's credential of this kind may administer. */
    carries_superadmin: boolean;
  },
): Caller | null =>
  person.role && {
    identity: {
      auth_kind: credential.credential_kind === 'api_key' ? 'apikey' : 'jwt',
      organization_id: person.organization_id,
      user_id: person.user_id,
      email: person.email,
      name: person.name,
      superadmin: person.superadmin && credential.carries_superadmin,
    },
    credential_kind: credential.credential_kind,
    credential_id: credential.credential_id,
    scopes: credential.scopes,
    expires_ms: credential.expires_ms,
    superadmin_withheld: person.superadmin && !credential.carries_superadmin,
    role: person.role,
  };
