// Authenticates JWTs of trusted issuers: asymmetric signature, our audience, not expired, and the user is a member.
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../platform/clock.ts';
import { sha256Base64url } from '../../../platform/crypto.ts';
import { DatabaseUnavailable } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Authenticator, Caller } from '../../../platform/http/context.ts';
import { type CallerCache, callerCache } from './caller-cache.ts';
import { callerOf } from './caller-of.ts';
import { type CredentialChanges, subjectOf } from './credential-changes.ts';
import type { LimitedCredential } from './limited-credential.ts';
import type { IdentityStore } from './store.ts';

export type TrustedIssuer = {
  issuer: string;
  audiences: string[];
  /** Throws when the keys cannot be read right now. */
  keys: JWTVerifyGetKey;
  /** Which column of the user the sub claim is. */
  subject: 'id' | 'external_subject';
  /** The OAuth scope for all rights; null when a token of this issuer without our scopes has all rights. */
  full_scope: string | null;
  /** How long after sign-in a console session may use admin operations; null when the issuer has no console sessions. */
  admin_session_ms: number | null;
};

/** Marks the tokens of console sessions. The OAuth server writes no token with this claim. */
export const console_token_use = 'console';

/** No symmetric algorithms: with them, the public key would be enough to forge a token. */
const algorithms = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
];
const skew_seconds = 5;

/** Loaded with the first token: many services use only API keys. */
const loadJose = () => import('jose');
type Jose = Awaited<ReturnType<typeof loadJose>>;

/** Public keys from a URL, or from a function for our own; reloaded when a token names an unknown key. */
export function issuerKeys(url: string, read?: () => Promise<unknown>): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  return async (header, token) => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    keys ??= createRemoteJWKSet(new URL(url), {
      timeoutDuration: 5000,
      cooldownDuration: 5000,
      cacheMaxAge: 60_000,
      ...(read ? { [customFetch]: async () => Response.json(await read()) } : {}),
    });
    return keys(header, token);
  };
}

type Claims = {
  issuer: TrustedIssuer;
  subject: string;
  organization_id: string | null;
  scopes: string[];
  expires_ms: number;
  kind: 'session' | 'oauth' | 'outside_token';
  /** The session that a console token belongs to. */
  session_id: string | null;
  /** The program that an OAuth token was issued to. */
  client_id: string;
  issued_ms: number;
  /** Until when a superadmin may use it for admin operations; 0: never. */
  admin_until_ms: number;
};

/** `admin` is the same caller with the rights of a superadmin, which a console session has for a limited time. */
type CachedToken = {
  caller: Caller;
  admin: Caller;
  admin_until_ms: number;
  expires_ms: number;
  subjects: readonly string[];
};

export function jwtAuthenticator(deps: {
  issuers(): TrustedIssuer[];
  store: IdentityStore;
  changes: CredentialChanges;
  /** The machine's own time: issuers do not use the sandbox clock. */
  wall_clock: Clock;
  /** Called before the first request of a grant is served, and again now and then: must do nothing the second time. */
  limitGrant(grant: LimitedCredential): Promise<void>;
}): Authenticator {
  const { wall_clock } = deps;
  const cache: CallerCache<CachedToken> = callerCache(deps);

  const callerIfValid = (found: CachedToken | null): Caller | null => {
    const now_ms = wall_clock.ms();
    if (!found || found.expires_ms <= now_ms) return null;
    return found.admin_until_ms > now_ms ? found.admin : found.caller;
  };

  const load = async (token: string): Promise<CachedToken | null> => {
    const claims = await verify(deps.issuers(), token);
    return claims && findCaller(deps, claims);
  };

  return (bearer) => {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer)) return null;
    const caller = cache.get(sha256Base64url(bearer), () => load(bearer));
    return caller instanceof Promise ? caller.then(callerIfValid) : callerIfValid(caller);
  };
}

/** Null when the token is not valid; throws when the keys of its issuer cannot be loaded. */
async function verify(issuers: readonly TrustedIssuer[], token: string): Promise<Claims | null> {
  const { decodeJwt, errors, jwtVerify } = await loadJose();
  const unverified = nullIfThrown(() => decodeJwt(token));
  const issuer = issuers.find((each) => each.issuer === unverified?.iss);
  if (!issuer) return null;
  try {
    const { payload } = await jwtVerify(token, issuer.keys, {
      algorithms,
      issuer: issuer.issuer,
      audience: issuer.audiences,
      clockTolerance: skew_seconds,
      requiredClaims: ['exp', 'sub'],
    });
    return {
      issuer,
      subject: payload.sub!,
      organization_id: typeof payload.organization_id === 'string' ? payload.organization_id : null,
      scopes: scopesOf(payload.scope, issuer.full_scope),
      expires_ms: payload.exp! * 1000 + skew_seconds * 1000,
      client_id: typeof payload.client_id === 'string' ? payload.client_id : '',
      issued_ms: (payload.iat ?? 0) * 1000,
      ...kindOf(payload, issuer),
    };
  } catch (error) {
    if (isKeyFailure(error, errors))
      throw new ApiError('issuer_unavailable', { retry_after_seconds: 5, internal: error });
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** Finds the user and the organization of verified claims; null when the session ended or the OAuth grant was revoked. */
async function findCaller(
  {
    store,
    limitGrant,
    wall_clock,
  }: Pick<Parameters<typeof jwtAuthenticator>[0], 'store' | 'limitGrant' | 'wall_clock'>,
  claims: Claims,
): Promise<CachedToken | null> {
  const memberships = await store.membershipsOf(claims.issuer.subject, claims.subject);
  if (memberships.length === 0) throw new ApiError('user_not_provisioned');
  const requested = memberships.find((each) => each.organization_id === claims.organization_id);
  if (claims.organization_id !== null && !requested) throw new ApiError('user_not_provisioned');
  if (!requested && memberships.length > 1) throw new ApiError('organization_not_named');
  const person = requested ?? memberships[0]!;
  if (
    claims.kind === 'session' &&
    !(await store.isSession({ ...person, id: claims.session_id! }, wall_clock.now()))
  )
    return null;
  const grant_id = claims.kind === 'oauth' ? await store.findGrant({ ...claims, ...person }) : null;
  if (claims.kind === 'oauth' && grant_id === null) return null;
  if (grant_id !== null) await limitGrant({ ...person, kind: 'oauth_grant', id: grant_id });
  const caller = (allows_superadmin: boolean) =>
    callerOf(person, {
      credential_kind: claims.kind,
      credential_id: grant_id === null ? `user:${person.user_id}` : `grant:${grant_id}`,
      scopes: claims.scopes,
      // The token of a console session is renewed while the user is signed in.
      expires_ms: claims.kind === 'session' ? null : claims.expires_ms,
      allows_superadmin,
    })!;
  const { admin_until_ms, expires_ms } = claims;
  const plain = caller(false);
  return {
    caller: plain,
    admin: person.superadmin && admin_until_ms > 0 ? caller(true) : plain,
    admin_until_ms,
    expires_ms,
    subjects: [subjectOf.organization(person.organization_id), subjectOf.user(person.user_id)],
  };
}

/** Only the token of a console session allows admin operations, and only for a limited time after sign-in. */
function kindOf(
  payload: JWTPayload,
  issuer: TrustedIssuer,
): Pick<Claims, 'kind' | 'session_id' | 'admin_until_ms'> {
  if (issuer.admin_session_ms === null) return { kind: 'outside_token', session_id: null, admin_until_ms: 0 };
  const is_session =
    payload.token_use === console_token_use &&
    payload.client_id === undefined &&
    payload.azp === undefined &&
    typeof payload.auth_time === 'number' &&
    typeof payload.sid === 'string';
  if (!is_session) return { kind: 'oauth', session_id: null, admin_until_ms: 0 };
  return {
    kind: 'session',
    session_id: String(payload.sid),
    admin_until_ms: Number(payload.auth_time) * 1000 + issuer.admin_session_ms,
  };
}

/** Scopes in our own format limit the token. A token of our own issuer has no rights without a scope. */
export function scopesOf(claim: unknown, full_scope: string | null): string[] {
  const scopes = typeof claim === 'string' ? claim.split(' ') : [];
  const ours = scopes.filter((scope) => /^[a-z][a-z_]*:(read|write)$/.test(scope));
  if (full_scope === null ? ours.length === 0 : scopes.includes(full_scope)) return ['*'];
  return ours;
}

function nullIfThrown<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The keys could not be loaded, so the token is neither valid nor invalid. */
function isKeyFailure(error: unknown, errors: Jose['errors']): boolean {
  if (error instanceof DatabaseUnavailable) return false;
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error.code === 'ERR_JWKS_TIMEOUT' ||
    error.code === 'ERR_JOSE_GENERIC' ||
    error.code === 'ERR_JWKS_INVALID'
  );
}
