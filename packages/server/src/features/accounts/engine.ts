// The account engine behind a narrow door: passwords, sessions, signing keys and OAuth come from better-auth, and only
// what stands here is used of it. Loaded only when managed mode is on.
import { oauthProvider } from '@better-auth/oauth-provider';
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { jwt } from 'better-auth/plugins';
import { Kysely, PostgresDialect } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { randomToken } from '../../platform/crypto.ts';
import { type Database, DatabaseUnavailable, databaseError } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { full_scope, password_chars } from './account-terms.ts';

const password_link_ms = 3_600_000;

export type SignedIn = {
  user: { id: string; name: string; email: string };
  session: { id: string; organization_id: string | null; signed_in_ms: number };
};

export type EngineDeps = {
  db: Database;
  wall_clock: Clock;
  ids: Ids;
  log: Log;
  secret: string;
  base_url: string;
  issuer: string;
  /** What tokens may be issued for. */
  resources: string[];
  /** The organization a token is for, where the person did not choose. */
  onlyOrganizationOf(user_id: string): Promise<string | null>;
};

/** Its tables stand in their own schema; the pool is the service's, and it is told when the database is away. */
export const accountTables = (db: Database, onAway: (error: DatabaseUnavailable) => void = () => {}) => {
  const noting = <T>(asked: Promise<T>) =>
    asked.catch((thrown) => {
      const error = databaseError(thrown);
      if (error instanceof DatabaseUnavailable) onAway(error);
      throw error;
    });
  const pool = {
    async connect() {
      const client = await noting(db.pool.connect());
      return {
        query: (text: string, values: unknown[]) => noting(client.query(text, values)),
        release: () => client.release(),
      };
    },
    end: () => db.pool.end(),
  };
  return new Kysely<Record<string, never>>({
    dialect: new PostgresDialect({ pool: pool as never }),
  }).withSchema('accounts');
};

export function engineOptions(
  deps: EngineDeps,
  onAway?: (error: DatabaseUnavailable) => void,
): BetterAuthOptions {
  const { base_url, log } = deps;
  return {
    appName: 'Parley',
    baseURL: base_url,
    basePath: '/auth',
    secret: deps.secret,
    database: { db: accountTables(deps.db, onAway), type: 'postgres' },
    telemetry: { enabled: false },
    // Its words can hold addresses of people, so only the failures are passed on.
    logger: {
      level: 'error',
      log: (_: string, message: string) => log.warn({ message }, 'the account engine failed'),
    },
    onAPIError: {
      // A refusal is an answer, not a failure.
      onError: (error: unknown) => {
        if (!isAPIError(error)) log.error({ err: error }, 'the account engine failed');
      },
    },
    // Attempts are counted by our own limiter, over all processes and in every environment; see attempts.ts.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      // Accounts are made by sign-ups.ts once the address is proven; the library's own links are signed tokens that work
      // more than once, and would let a stranger's password in when the owner of the address follows one.
      disableSignUp: true,
      requireEmailVerification: true,
      minPasswordLength: password_chars.min,
      maxPasswordLength: password_chars.max,
      revokeSessionsOnPasswordReset: true,
    },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    verification: { storeIdentifier: 'hashed' },
    session: {
      additionalFields: { organization_id: { type: 'string', required: false, input: false } },
    },
    advanced: {
      database: { generateId: () => deps.ids.next() },
      cookiePrefix: 'parley',
      useSecureCookies: base_url.startsWith('https:'),
      // Where a request came from is told by us; headers of the client are not believed.
      ipAddress: { ipAddressHeaders: ['x-parley-client-ip'] },
    },
    plugins: [
      jwt({ jwt: { issuer: deps.issuer }, disableSettingJwtHeader: true }),
      oauthProvider({
        loginPage: '/auth/sign-in',
        consentPage: '/auth/consent',
        scopes: ['openid', 'profile', 'email', 'offline_access', full_scope],
        grantTypes: ['authorization_code', 'refresh_token'],
        // Agents' clients introduce themselves; a person decides on the consent page what becomes of them.
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        resources: deps.resources,
        // Every resource is ours: a client that just registered may ask for each of them.
        enforcePerClientResources: false,
        postLogin: {
          page: '/auth/consent',
          shouldRedirect: () => false,
          // Nothing is consented to under this name, so that a person with several organizations is asked.
          consentReferenceId: async ({ user, session }) =>
            (session.organization_id as string | null | undefined) ??
            (await deps.onlyOrganizationOf(user.id)) ??
            'not_chosen',
        },
        customAccessTokenClaims: ({ referenceId }) => (referenceId ? { organization_id: referenceId } : {}),
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
      // The plugin's own types do not hold where an optional property may not be undefined.
    ] as unknown as NonNullable<BetterAuthOptions['plugins']>,
  };
}

export function accountEngine(deps: EngineDeps) {
  let away: { error: DatabaseUnavailable } | null = null;
  const auth = betterAuth(
    engineOptions(deps, (error) => {
      away = { error };
    }),
  );
  /** The engine keeps the reason of a failure to itself; where the database was away meanwhile, that was it. */
  const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
    const before = away;
    const failed = (error: unknown) => (away && away !== before ? away.error : error);
    let answer: T;
    try {
      answer = await ask();
    } catch (error) {
      throw failed(error);
    }
    if (answer instanceof Response && answer.status >= 500)
      throw failed(new Error(`the account engine answered ${answer.status}`));
    return answer;
  };
  const plugins = auth.api as unknown as {
    getJwks(): Promise<unknown>;
    signJWT(given: { body: { payload: Record<string, unknown> } }): Promise<{ token: string }>;
    getOAuthServerConfig(): Promise<unknown>;
  };

  /** As the browser would ask, so that the engine checks the cookie and the origin by itself. */
  const internal = (path: string, headers: Headers, body: unknown) =>
    asked(() =>
      auth.handler(
        new Request(`${deps.base_url}/auth${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            cookie: headers.get('cookie') ?? '',
            origin: new URL(deps.base_url).origin,
          },
          body: JSON.stringify(body),
        }),
      ),
    );

  return {
    /** Answers a request to one of the protocol paths. */
    handle: (request: Request): Promise<Response> => asked(() => auth.handler(request)),

    async session(headers: Headers): Promise<SignedIn | null> {
      const found = await asked(() => auth.api.getSession({ headers }));
      if (!found?.user.emailVerified) return null;
      const { user } = found;
      const session: { id: string; createdAt: Date; organization_id?: string | null } = found.session;
      return {
        user: { id: user.id, name: user.name, email: user.email },
        session: {
          id: session.id,
          organization_id: session.organization_id ?? null,
          signed_in_ms: new Date(session.createdAt).getTime(),
        },
      };
    },

    /** The cookies of the new session; null when address and password do not belong together. */
    async signIn(given: { email: string; password: string }, headers: Headers): Promise<string[] | null> {
      const answer = await asked(() => auth.api.signInEmail({ body: given, headers, asResponse: true }));
      return answer.ok ? answer.headers.getSetCookie() : null;
    },

    /** As it is stored, so that an account can be made in one transaction. */
    hashPassword: async (password: string): Promise<string> => (await auth.$context).password.hash(password),

    /** The secret of a link with which the person chooses a new password, once, within the hour. */
    async passwordToken(user_id: string): Promise<{ token: string; expires_at: Date }> {
      const token = randomToken('');
      const expires_at = new Date(deps.wall_clock.ms() + password_link_ms);
      const { internalAdapter } = await auth.$context;
      await internalAdapter.createVerificationValue({
        identifier: `reset-password:${token}`,
        value: user_id,
        expiresAt: expires_at,
      });
      return { token, expires_at };
    },

    /** Whose password it was; null when the link was used, is too old or made up. Whoever was signed in no longer is. */
    async setPassword(token: string, password: string): Promise<string | null> {
      const { internalAdapter } = await auth.$context;
      const link = await asked(() => internalAdapter.findVerificationValue(`reset-password:${token}`));
      if (!link) return null;
      const body = { token, newPassword: password };
      const answer = await asked(() => auth.api.resetPassword({ body, asResponse: true }));
      return answer.ok ? link.value : null;
    },

    async signOut(headers: Headers): Promise<string[]> {
      return (await internal('/sign-out', headers, {})).headers.getSetCookie();
    },

    /** Where the browser goes next; null when the request was changed, is too old or is not this person's. */
    async consent(headers: Headers, oauth_query: string, accept: boolean): Promise<string | null> {
      const answer = await internal('/oauth2/consent', headers, { accept, oauth_query });
      if (!answer.ok) return null;
      const { url, redirect_uri } = (await answer.json()) as { url?: string; redirect_uri?: string };
      return url ?? redirect_uri ?? null;
    },

    /** A token of our own issuer with these claims. */
    async sign(payload: Record<string, unknown>): Promise<string> {
      return (await asked(() => plugins.signJWT({ body: { payload } }))).token;
    },

    jwks: (): Promise<unknown> => asked(() => plugins.getJwks()),
    authorizationServer: (): Promise<unknown> => plugins.getOAuthServerConfig(),
  };
}
export type AccountEngine = ReturnType<typeof accountEngine>;
