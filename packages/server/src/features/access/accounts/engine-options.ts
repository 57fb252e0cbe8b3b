// The configuration of better-auth: passwords, sessions, signing keys and the OAuth provider.
import { oauthProvider } from '@better-auth/oauth-provider';
import type { BetterAuthOptions } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { jwt } from 'better-auth/plugins';
import { Kysely, PostgresDialect } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import { type Database, DatabaseUnavailable, databaseError } from '../../../platform/db/database.ts';
import type { Limit } from '../../../platform/db/statement-runner.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { full_scope, password_chars } from './account-rules.ts';

/** A client may lose the answer to a refresh, or refresh in two processes: for so long it gets the same answer again. */
const refresh_reuse_seconds = 30;

export type PasswordHashing = {
  hash(password: string): Promise<string>;
  verify(stored: { hash: string; password: string }): Promise<boolean>;
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
  /** Left out: scrypt with the parameters of better-auth. */
  passwords?: PasswordHashing;
  /** The organization of a token when the user did not choose one. */
  onlyOrganizationOf(user_id: string): Promise<string | null>;
};

type OnUnavailable = (error: DatabaseUnavailable) => void;

/** better-auth uses our connection pool and its own schema. `onUnavailable` is called when the database is unavailable. */
export const accountTables = (db: Database, onUnavailable: OnUnavailable = () => {}) => {
  const reported = <T>(query: Promise<T>) =>
    query.catch((thrown) => {
      const error = databaseError(thrown);
      if (error instanceof DatabaseUnavailable) onUnavailable(error);
      throw error;
    });
  const limit: Limit = { query_timeout: db.give_up_ms };
  const pool = {
    async connect() {
      // better-auth writes some rows after its response and does not handle their errors, which would end the process. Once the
      // pool is closed nobody waits for such a row.
      if (db.pool.ending) return new Promise<never>(() => {});
      const client = await reported(db.pool.connect());
      let lost: Error | undefined;
      return {
        async query(text: string, values: unknown[]) {
          // A rollback would only wait behind the statement that was given up.
          if (lost) throw lost;
          try {
            return await reported(client.query({ text, values, ...limit }));
          } catch (error) {
            // Its server may be gone or read-only: the pool must not use the connection again.
            if (error instanceof DatabaseUnavailable) lost = error;
            throw error;
          }
        },
        release: () => client.release(lost),
      };
    },
    end: () => db.pool.end(),
  };
  return new Kysely<Record<string, never>>({
    dialect: new PostgresDialect({ pool: pool as never }),
  }).withSchema('accounts');
};

export function engineOptions(deps: EngineDeps, onUnavailable?: OnUnavailable): BetterAuthOptions {
  const { base_url, log } = deps;
  return {
    appName: 'Parley',
    baseURL: base_url,
    basePath: '/auth',
    secret: deps.secret,
    database: { db: accountTables(deps.db, onUnavailable), type: 'postgres' },
    telemetry: { enabled: false },
    // Its other log texts can contain email addresses, so only errors are logged.
    logger: {
      level: 'error',
      log: (_: string, message: string) => log.warn({ message }, 'account engine failed'),
    },
    onAPIError: {
      // An APIError is a refusal, not a failure.
      onError: (error: unknown) => {
        if (!isAPIError(error)) log.error({ err: error }, 'account engine failed');
      },
    },
    // attempt-limits.ts counts attempts instead, over all processes and in every environment.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      // sign-ups.ts creates accounts after the address is verified. The links of better-auth are signed tokens that work
      // more than once: an attacker's password would become valid when the owner of the address follows one.
      disableSignUp: true,
      requireEmailVerification: true,
      minPasswordLength: password_chars.min,
      maxPasswordLength: password_chars.max,
      revokeSessionsOnPasswordReset: true,
      ...(deps.passwords && { password: deps.passwords }),
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
      // We set this header. Headers from the client are not trusted.
      ipAddress: { ipAddressHeaders: ['x-parley-client-ip'] },
    },
    plugins: pluginsOf(deps),
  };
}

const pluginsOf = (deps: EngineDeps) =>
  [
    jwt({ jwt: { issuer: deps.issuer }, disableSettingJwtHeader: true }),
    oauthProvider({
      loginPage: '/auth/sign-in',
      consentPage: '/auth/consent',
      scopes: ['openid', 'profile', 'email', 'offline_access', full_scope],
      grantTypes: ['authorization_code', 'refresh_token'],
      refreshTokenReuseInterval: refresh_reuse_seconds,
      // Clients of agents register themselves; the user decides on the consent page whether to allow them.
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      resources: deps.resources,
      // Every resource is ours, so a client that just registered may request each of them.
      enforcePerClientResources: false,
      postLogin: {
        page: '/auth/consent',
        shouldRedirect: () => false,
        // No consent is ever stored under `not_chosen`, so a user with several organizations is always asked.
        consentReferenceId: async ({ user, session }) =>
          (session.organization_id as string | null | undefined) ??
          (await deps.onlyOrganizationOf(user.id)) ??
          'not_chosen',
      },
      customAccessTokenClaims: ({ referenceId }) => (referenceId ? { organization_id: referenceId } : {}),
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
    // The types of the plugin do not compile with exactOptionalPropertyTypes.
  ] as unknown as NonNullable<BetterAuthOptions['plugins']>;
