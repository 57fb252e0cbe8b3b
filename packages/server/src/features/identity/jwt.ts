// Recognises JWTs of the issuers this server trusts: signed asymmetrically, for us, now, and by a member.
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { Clock } from '../../platform/clock.ts';
import { sha256Base64url } from '../../platform/crypto.ts';
import { DatabaseUnavailable } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Authenticator, Caller } from '../../platform/http/context.ts';
import type { TtlCache } from '../../platform/ttl-cache.ts';
import { type CallerCache, callerCache } from './caller-cache.ts';
import { callerOf } from './caller-of.ts';
import type { IdentityStore } from './store.ts';

export type TrustedIssuer = {
  issuer: string;
  audiences: string[];
  /** Throws when the keys cannot be read right now. */
  keys: JWTVerifyGetKey;
  /** What the sub claim is. */
  subject: 'id' | 'external_subject';
  /** The OAuth scope that stands for everything; null where a token without scopes of ours may do everything. */
  full_scope: string | null;
  /** For how long after sign-in a console session administers; null where the issuer has no console sessions. */
  admin_session_ms: number | null;
};

/** Marks the tokens of console sessions. The OAuth server writes no token with this claim. */
export const console_token_use = 'console';

/** Symmetric ones are left out: with them the public key would be enough to forge a token. */
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

/** Public keys by URL, or by a function where they are our own; read again when a token names an unknown one. */
export const issuerKeys = (url: string, read?: () => Promise<unknown>): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(url), {
    timeoutDuration: 5000,
    cooldownDuration: 5000,
    cacheMaxAge: 60_000,
    ...(read ? { [customFetch]: async () => Response.json(await read()) } : {}),
  });

type Claims = {
  issuer: TrustedIssuer;
  subject: string;
  organization_id: string | null;
  scopes: string[];
  expires_ms: number;
  kind: 'session' | 'oauth' | 'outside_token';
  /** The program that an OAuth token was issued to. */
  client_id: string;
  issued_ms: number;
  /** Until when a superadmin may administer with it; 0: never. */
  admin_until_ms: number;
};

/** `admin` is the same caller with the power of a superadmin, where the token carries it for a while. */
type Known = { caller: Caller; admin: Caller; admin_until_ms: number; expires_ms: number };

export function jwtAuthenticator(deps: {
  issuers(): TrustedIssuer[];
  store: IdentityStore;
  version: TtlCache<number>;
  /** The machine's own time: issuers know nothing of a clock that was moved. */
  wall_clock: Clock;
}): Authenticator {
  const { store, wall_clock } = deps;
  const cache: CallerCache<Known> = callerCache(deps);

  const verify = async (token: string): Promise<Claims | null> => {
    const said = readable(() => decodeJwt(token));
    const issuer = deps.issuers().find((each) => each.issuer === said?.iss);
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
        ...powerOf(payload, issuer),
      };
    } catch (error) {
      if (isKeyTrouble(error))
        throw new ApiError('issuer_unavailable', { retry_after_seconds: 5, internal: error });
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  };

  const load = async (token: string) => {
    const claims = await verify(token);
    if (!claims) return null;
    const memberships = await store.membershipsOf(claims.issuer.subject, claims.subject);
    if (memberships.length === 0) throw new ApiError('user_not_provisioned');
    const named = memberships.find((each) => each.organization_id === claims.organization_id);
    if (claims.organization_id !== null && !named) throw new ApiError('user_not_provisioned');
    if (!named && memberships.length > 1) throw new ApiError('organization_not_named');
    const person = named ?? memberships[0]!;
    if (claims.kind === 'oauth' && !(await store.hasGrant({ ...claims, ...person }))) return null;
    const caller = (carries_superadmin: boolean) =>
      callerOf(person, {
        credential_kind: claims.kind,
        credential_id: `user:${person.user_id}`,
        scopes: claims.scopes,
        // The token of a console session is renewed for as long as the person stays signed in.
        expires_ms: claims.kind === 'session' ? null : claims.expires_ms,
        carries_superadmin,
      })!;
    const { admin_until_ms, expires_ms } = claims;
    const plain = caller(false);
    return {
      caller: plain,
      admin: person.superadmin && admin_until_ms > 0 ? caller(true) : plain,
      admin_until_ms,
      expires_ms,
    };
  };

  const admit = (found: Known | null): Caller | null => {
    const now_ms = wall_clock.ms();
    if (!found || found.expires_ms <= now_ms) return null;
    return found.admin_until_ms > now_ms ? found.admin : found.caller;
  };

  return (bearer) => {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer)) return null;
    const found = cache.get(sha256Base64url(bearer), () => load(bearer));
    return found instanceof Promise ? found.then(admit) : admit(found);
  };
}

/** Only a person at the console administers with a token, and only for some time after they signed in. */
function powerOf(payload: JWTPayload, issuer: TrustedIssuer): Pick<Claims, 'kind' | 'admin_until_ms'> {
  if (issuer.admin_session_ms === null) return { kind: 'outside_token', admin_until_ms: 0 };
  const is_session =
    payload.token_use === console_token_use &&
    payload.client_id === undefined &&
    payload.azp === undefined &&
    typeof payload.auth_time === 'number';
  if (!is_session) return { kind: 'oauth', admin_until_ms: 0 };
  return { kind: 'session', admin_until_ms: Number(payload.auth_time) * 1000 + issuer.admin_session_ms };
}

/** Scopes in our own form narrow the token; an issuer of ours must also have granted at least one. */
export function scopesOf(claim: unknown, full_scope: string | null): string[] {
  const given = typeof claim === 'string' ? claim.split(' ') : [];
  const ours = given.filter((scope) => /^[a-z][a-z_]*:(read|write)$/.test(scope));
  if (full_scope === null ? ours.length === 0 : given.includes(full_scope)) return ['*'];
  return ours;
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The keys could not be read, which says nothing about the token. */
function isKeyTrouble(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return false;
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error.code === 'ERR_JWKS_TIMEOUT' ||
    error.code === 'ERR_JOSE_GENERIC' ||
    error.code === 'ERR_JWKS_INVALID'
  );
}
