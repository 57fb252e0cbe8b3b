// What a credential may issue: never anything that can do more than itself or lives longer than itself.
import { admin_scope, type Role } from '@parley/contract/roles';
import { known_scopes } from '@parley/contract/scopes';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Caller } from '../../platform/http/context.ts';
import { isOperatorSession } from '../../platform/http/superadmin.ts';

/** A scope that no operation asks for is a typing mistake that would show only when the key is used. */
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
  wanted: { scopes: readonly string[]; expires_at: Date | null },
): void {
  requireNotGranted(caller);
  if (wanted.scopes.includes(admin_scope)) requireOperatorSession(caller);
  const missing = wanted.scopes.filter(
    (scope) => scope !== admin_scope && !caller.scopes.includes('*') && !caller.scopes.includes(scope),
  );
  if (missing.length > 0) {
    throw new ApiError('insufficient_scope', {
      detail: `A key may not be stronger than the credential that issues it: ${missing.join(', ')}.`,
    });
  }
  const { expires_ms } = caller;
  if (expires_ms === null || (wanted.expires_at && wanted.expires_at.getTime() <= expires_ms)) return;
  throw new ApiError('outlives_credential', {
    detail: `Your credential ends at ${new Date(expires_ms).toISOString()}; the new key must not live longer.`,
  });
}

/** A grant to a program can be revoked at any time: what the program does must not outlive it. */
export function requireNotGranted(caller: Caller): void {
  if (caller.credential_kind === 'oauth') throw new ApiError('credential_cannot_issue');
}

/** Membership outlives every key: a narrow key must not make people who can do much more than itself. */
export function requireMayAppoint(caller: Caller, role: Role): void {
  requireNotGranted(caller);
  if (role === 'member' || caller.scopes.includes('*')) return;
  throw new ApiError('insufficient_scope', {
    detail: `Making somebody ${role} needs a credential with the scope *.`,
  });
}

export function requireOperatorSession(caller: Caller): void {
  if (!isOperatorSession(caller)) throw new ApiError('operator_session_needed');
}
