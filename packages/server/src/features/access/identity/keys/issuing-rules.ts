// What a credential may issue: nothing with more rights than itself, and nothing that is valid for longer.
import { admin_scope, decide_scope, type Role } from '@parley/contract/access/roles';
import { known_scopes } from '@parley/contract/scopes';
import { ApiError, validationError } from '../../../../platform/http/api-error.ts';
import { type Caller, isPerson } from '../../../../platform/http/context.ts';
import { isOperatorSession } from '../../../../platform/http/superadmin.ts';

/** A scope that no operation uses is a typing error, which would otherwise be found only when the key is used. */
export function requireKnownScopes(scopes: readonly string[]): void {
  const problems = scopes.flatMap((scope, index) =>
    known_scopes.includes(scope)
      ? []
      : [
          {
            path: `body.scopes[${index}]`,
            message: `There is no scope ${scope}; expected one of ${known_scopes.join(', ')}`,
            code: 'invalid_value' as const,
          },
        ],
  );
  if (problems.length > 0) throw validationError(problems);
}

export function requireMayIssue(
  caller: Caller,
  requested: { scopes: readonly string[]; expires_at: Date | null; grants_consent: boolean },
): void {
  requireNotGranted(caller);
  if (requested.scopes.includes(admin_scope)) requireOperatorSession(caller);
  // A program with the scope * must not give itself a key that decides about what it sends.
  if (requested.scopes.includes(decide_scope)) requirePerson(caller);
  // Nor one that needs no confirmation that the recipients agreed.
  if (requested.grants_consent) requirePerson(caller);
  const missing = requested.scopes.filter(
    (scope) => scope !== admin_scope && !caller.scopes.includes('*') && !caller.scopes.includes(scope),
  );
  if (missing.length > 0) {
    throw new ApiError('insufficient_scope', {
      detail: `A key may not have scopes that your credential does not have: ${missing.join(', ')}.`,
    });
  }
  const { expires_ms } = caller;
  if (expires_ms === null || (requested.expires_at && requested.expires_at.getTime() <= expires_ms)) return;
  throw new ApiError('outlives_credential', {
    detail: `Your credential expires at ${new Date(expires_ms).toISOString()}; the new key must not be valid for longer.`,
  });
}

/** A user can revoke the grant of a program at any time, so the program must not create anything that outlives it. */
export function requireNotGranted(caller: Caller): void {
  if (caller.credential_kind === 'oauth') throw new ApiError('credential_cannot_issue');
}

/** A person decides about what programs send, so a program must not be able to become one, or to give one more rights. */
export function requirePerson(caller: Caller): void {
  if (!isPerson(caller)) throw new ApiError('person_required');
}

/** Membership outlives every token, so one with few scopes must not create members with more rights than itself. */
export function requireMayAppoint(caller: Caller, role: Role): void {
  requireNotGranted(caller);
  if (role === 'member' || caller.scopes.includes('*')) return;
  throw new ApiError('insufficient_scope', {
    detail: `Giving the role ${role} needs a credential with the scope *.`,
  });
}

export function requireOperatorSession(caller: Caller): void {
  if (!isOperatorSession(caller)) throw new ApiError('operator_session_needed');
}
