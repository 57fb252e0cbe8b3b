// Validates a caller's token at the API. Obviously invalid tokens are rejected here, and positive results are cached.
import { createHash } from 'node:crypto';
import { ApiError } from '@parley/sdk';
import type { Api } from './api.ts';

export type Verdict =
  | { ok: true }
  | {
      ok: false;
      status: 401 | 403 | 429 | 503;
      error: 'invalid_token' | 'insufficient_scope' | null;
      message: string;
      retry_after_seconds?: number;
    };

const cache_ms = 60_000;
const cached_tokens = 10_000;

const refused = (message: string): Verdict => ({ ok: false, status: 401, error: 'invalid_token', message });

const whoami = { method: 'GET' as const, path: '/v1/whoami', params: [], input: null };
const too_few_scopes: Verdict = {
  ok: false,
  status: 403,
  error: 'insufficient_scope',
  message: 'This token lacks the required scope',
};

/**
 * The unverified claims of a JWT, or null if the token is not a JWT. Use them to reject a token, never to accept one.
 */
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
  /** Expiry of each cached positive result, by the hash of the token. */
  const valid_until = new Map<string, number>();
  const hash = (token: string) => createHash('sha256').update(token).digest('base64url');

  return {
    /** `headers` name the client to the API, which counts wrong credentials per client. */
    async validate(token: string, headers: Record<string, string> = {}): Promise<Verdict> {
      const claims = unverifiedClaims(token);
      const expires_ms = typeof claims?.exp === 'number' ? claims.exp * 1000 : null;
      if (claims) {
        if (expires_ms === null || expires_ms <= now()) return refused('The token has expired');
        const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
        if (!audiences.includes(resource)) return refused('The token was issued for another service');
      }
      const id = hash(token);
      const until = valid_until.get(id);
      if (until !== undefined && until > now()) return { ok: true };
      valid_until.delete(id);
      try {
        const { scopes = ['*'] } = await api.call(token, whoami, {}, { max_retries: 0, headers });
        // A key with limited scopes is still valid. A token with too few scopes gets a challenge, because the client
        // can request more.
        if (claims !== null && !scopes.includes('*') && !scopes.includes('identity:read'))
          return too_few_scopes;
      } catch (error) {
        return refusalOf(error);
      }
      if (valid_until.size >= cached_tokens) valid_until.delete(valid_until.keys().next().value!);
      valid_until.set(id, Math.min(now() + cache_ms, expires_ms ?? Number.POSITIVE_INFINITY));
      return { ok: true };
    },

    /** The API rejected the token: validate it again on the next request. */
    evict(token: string): void {
      valid_until.delete(hash(token));
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
  if (error instanceof ApiError && error.status === 429)
    return {
      ok: false,
      status: 429,
      error: null,
      message: error.message,
      retry_after_seconds: error.retry_after_seconds ?? 1,
    };
  return { ok: false, status: 503, error: null, message: 'Parley cannot be reached to check the token' };
}
