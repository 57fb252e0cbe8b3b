// Refuses administration paths to every credential without superadmin power, as if they did not exist.
import { ApiError } from './api-error.ts';
import type { Caller } from './context.ts';

export function requireSuperadmin(caller: Caller): void {
  if (caller.identity.superadmin) return;
  // The status stays 404 to reveal nothing, but a superadmin whose credential lacks the power needs the reason.
  throw new ApiError(
    'not_found',
    caller.superadmin_withheld
      ? {
          detail: 'You are a superadmin, but this credential does not carry that power.',
          fix: 'Sign in to the console again, or use the shared key or an API key issued with the scope admin.',
        }
      : {},
  );
}

/** The shared key, the operator key, or a person who signed in recently: only these may grant superadmin power. */
export const isOperatorSession = (caller: Caller): boolean =>
  caller.identity.superadmin &&
  (caller.credential_kind === 'shared_key' ||
    caller.credential_kind === 'operator_key' ||
    caller.credential_kind === 'session');
