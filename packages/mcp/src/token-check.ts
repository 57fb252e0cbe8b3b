// Whether a caller's token is good: the API decides; this only spares it the hopeless ones and repeats its yes for a while.
import { createHash } from 'node:crypto';
import { ApiError } from '@parley/sdk';
import type { Api } from './api.ts';

export type Verdict =
  | { ok: true }
  | {
      ok: false;
      status: 401 | 403 | 503;
      error: 'invalid_token' | 'insufficient_scope' | null;
      message: string;
    };

const remember_ms = 60_000;
const remembered_tokens = 10_000;

const refused = (message: string): Verdict => ({ ok: false, status: 401, error: 'invalid_token', message });

const whoami = { method: 'GET' as const, path: '/v1/whoami', params: [], input: null };
const narrow: Verdict = {
  ok: false,
  status: 403,
  error: 'insufficient_scope',
  message: 'This token lacks the scope of the tools',
};

/** The claims of a JWT as they stand there; null when it is none. Good enough to refuse by, never to accept by. */
export function unverifiedClaims(token: string): { exp?: unknown; aud?: unknown } | null {
  const parts = token.split('.');
  if (parts.length !== 3) return null;
  try {
    const claims = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : null;
  } catch {
    return null;
  }
}

export function tokenCheck(deps: { api: Api; resource: string; now?: () => number }) {
  const { api, resource } = deps;
  const now = deps.now ?? Date.now;
  /** Until when the API's yes may be repeated, by the token's hash. */
  const good_until = new Map<string, number>();
  const hash = (token: string) => createHash('sha256').update(token).digest('base64url');

  return {
    async judge(token: string): Promise<Verdict> {
      const claims = unverifiedClaims(token);
      const expires_ms = typeof claims?.exp === 'number' ? claims.exp * 1000 : null;
      if (claims) {
        if (expires_ms === null || expires_ms <= now()) return refused('The token has expired');
        const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
        if (!audiences.includes(resource)) return refused('The token was issued for another service');
      }
      const id = hash(token);
      const until = good_until.get(id);
      if (until !== undefined && until > now()) return { ok: true };
      good_until.delete(id);
      try {
        const { scopes = ['*'] } = await api.call(token, whoami, {});
        // A key that may do only some things is still a good key; a token can be asked for again with more scopes.
        if (claims !== null && !scopes.includes('*') && !scopes.includes('identity:read')) return narrow;
      } catch (error) {
        return refusalOf(error);
      }
      if (good_until.size >= remembered_tokens) good_until.delete(good_until.keys().next().value!);
      good_until.set(id, Math.min(now() + remember_ms, expires_ms ?? Number.POSITIVE_INFINITY));
      return { ok: true };
    },

    /** The API said no meanwhile: the next request is asked about again. */
    forget(token: string): void {
      good_until.delete(hash(token));
    },
  };
}
export type TokenCheck = ReturnType<typeof tokenCheck>;

function refusalOf(error: unknown): Verdict {
  if (error instanceof ApiError && error.status === 401) return refused('The token is not accepted');
  if (error instanceof ApiError && error.status === 403)
    return {
      ok: false,
      status: 403,
      error: null,
      message: error.message,
    };
  return { ok: false, status: 503, error: null, message: 'Parley cannot be reached to check the token' };
}
