// Puts managed mode together: organizations, members, issued keys, tokens, and the accounts of people.

import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { mcpUrl } from '../../config/mcp.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Authenticator, Routes } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { ttlCache } from '../../platform/ttl-cache.ts';
import type { AuditLog } from '../audit/index.ts';
import type { ContactService } from '../contacts/index.ts';
import {
  apiKeyRoutes,
  apiKeyService,
  identityStore,
  issuedKeyAuthenticator,
  issuerKeys,
  jwtAuthenticator,
  type TrustedIssuer,
} from '../identity/index.ts';
import {
  invitationRoutes,
  invitationService,
  memberRoutes,
  memberService,
  organizationRoutes,
  organizationService,
  organizationStore,
  peopleStore,
} from '../organizations/index.ts';
import type { SystemMailSender } from '../system-mail/index.ts';
import { accountStore } from './account-store.ts';
import { full_scope, password_chars } from './account-terms.ts';
import { addApprovalRoutes } from './approval-routes.ts';
import { attemptLimits } from './attempts.ts';
import { addConsoleTokenRoute } from './console-token.ts';
import { deviceLogins } from './device.ts';
import type { AccountEngine } from './engine.ts';
import { oauthGrantRoutes } from './oauth-grants.ts';
import { addPageRoutes } from './page-routes.ts';
import { passwordMails } from './password-mails.ts';
import { addPasswordRoutes } from './password-routes.ts';
import { addProtocolRoutes } from './protocol-routes.ts';
import { place_kept_days, signIns } from './sign-ins.ts';
import { addSignUpRoutes } from './sign-up-routes.ts';
import { signUps } from './sign-ups.ts';
import { pageErrors, readBodies } from './web.ts';

/** A client registers right before it sends its person to the consent page. */
const never_used_client_days = 1;
/** A right taken away is felt within it on every process. */
const credentials_age_ms = 1000;

export type ManagedModeDeps = {
  db: Database;
  clock: Clock;
  wall_clock: Clock;
  ids: Ids;
  log: Log;
  contacts: ContactService;
  audit: AuditLog;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  mail: SystemMailSender;
  baseUrl(): string;
  config: Config;
  /** Signs cookies and seals signing keys. */
  secret: string;
};

export function managedMode(deps: ManagedModeDeps) {
  const { db, config } = deps;
  // Off: nobody but the holder of the shared key is recognised, and nothing is looked up.
  const managed = config.PARLEY_MANAGED === 'on';
  const mcp_url = mcpUrl(config);
  /** What our own OAuth server issues tokens for, whatever the operator accepts from an outside issuer. */
  const ownAudiences = () => [mcp_url, deps.baseUrl()];
  const store = organizationStore(db);
  const people = peopleStore(db);
  const identities = identityStore(db);
  const version = ttlCache({
    load: () => identities.credentialsVersion(),
    max_age_ms: credentials_age_ms,
  });
  const base = { ...deps, store, people, identities, version };
  const api_keys = apiKeyService({
    ...base,
    store: identities,
    managed,
    max_keys: config.PARLEY_KEYS_PER_ORGANIZATION,
  });
  const members = memberService(base);
  const organizations = organizationService({
    ...base,
    members,
    api_keys,
    founder_caps: {
      calls: config.PARLEY_SIGN_UP_CALLS_PER_HOUR,
      emails: config.PARLEY_SIGN_UP_EMAILS_PER_HOUR,
      sms: config.PARLEY_SIGN_UP_SMS_PER_HOUR,
    },
    async passwordLink(user_id) {
      const { token, expires_at } = await (await accounts()).passwordToken(user_id);
      return { url: `${deps.baseUrl()}/auth/passwords/${token}`, expires_at: expires_at.toISOString() };
    },
  });
  const invitations = invitationService({
    ...base,
    members,
    requireManaged: api_keys.requireManaged,
    acceptUrl: (token) => `${deps.baseUrl()}/auth/invitations/${token}`,
  });

  // The base URL, a default audience, is known once the server listens.
  const outside = lazily((): TrustedIssuer[] =>
    config.PARLEY_JWT_ISSUER === null
      ? []
      : [
          {
            issuer: config.PARLEY_JWT_ISSUER,
            audiences: config.PARLEY_JWT_AUDIENCES.length > 0 ? config.PARLEY_JWT_AUDIENCES : ownAudiences(),
            keys: issuerKeys(config.PARLEY_JWT_JWKS_URL!),
            subject: 'external_subject',
            full_scope: null,
            admin_session_ms: null,
          },
        ],
  );

  // The engine is large and wants the public address, which is known once the server listens.
  let engine: Promise<AccountEngine> | undefined;
  const accounts = () => {
    engine ??= import('./engine.ts').then(({ accountEngine }) =>
      accountEngine({
        ...deps,
        base_url: deps.baseUrl(),
        issuer: issuerOf(deps.baseUrl()),
        resources: [...new Set(ownAudiences())],
        onlyOrganizationOf: async (user_id) => {
          const found = await organizations.ofUser(user_id);
          return found.length === 1 ? found[0]!.id : null;
        },
      }),
    );
    return engine;
  };
  const ownIssuer = lazily((): TrustedIssuer => {
    const issuer = issuerOf(deps.baseUrl());
    return {
      issuer,
      audiences: ownAudiences(),
      keys: issuerKeys(`${issuer}/jwks`, async () => (await accounts()).jwks()),
      subject: 'id',
      full_scope,
      admin_session_ms: config.PARLEY_ADMIN_SESSION_HOURS * 3_600_000,
    };
  });
  const devices = deviceLogins({ ...deps, api_keys, key_days: config.PARLEY_DEVICE_KEY_DAYS });
  const account_store = accountStore(db);
  const attempts = attemptLimits(deps);
  const with_engine = { ...deps, people, engine: accounts, store: account_store, attempts };
  const sign_ups = signUps(with_engine);
  const sign_ins = signIns(with_engine);
  const password_mails = passwordMails(with_engine);

  const authenticators: Authenticator[] = managed
    ? [
        issuedKeyAuthenticator({ ...deps, store: identities, version }),
        jwtAuthenticator({ ...deps, store: identities, version, issuers: () => [ownIssuer(), ...outside()] }),
      ]
    : [];

  const routes: Routes[] = [
    apiKeyRoutes(api_keys),
    oauthGrantRoutes(base),
    memberRoutes(members),
    invitationRoutes(invitations),
    organizationRoutes(organizations, members, invitations),
  ];
  const jobs: JobHandler[] = [
    ...devices.jobs,
    ...sign_ups.jobs,
    ...sign_ins.jobs,
    ...password_mails.jobs,
    {
      kind: 'forget_unused_oauth_clients',
      every_seconds: 3600,
      run: async () => {
        const ago = (days: number) => new Date(deps.wall_clock.ms() - days * 86_400_000);
        await account_store.forgetUnusedClients(
          ago(never_used_client_days),
          ago(config.PARLEY_OAUTH_CLIENT_UNUSED_DAYS),
        );
      },
    },
    {
      kind: 'forget_expired_sessions',
      every_seconds: 3600,
      run: () => {
        const now = deps.wall_clock.now();
        return account_store.forgetExpired(now, new Date(now.getTime() - place_kept_days * 86_400_000));
      },
    },
  ];

  return {
    authenticators,
    routes,
    jobs,
    /** Pages and protocols of accounts; nothing where managed mode is off. */
    addHttp(http: FastifyInstance): void {
      if (!managed) return;
      const web = {
        ...deps,
        engine: accounts,
        devices,
        attempts,
        sign_up: config.PARLEY_SIGN_UP,
      };
      http.register(async (scope) => {
        readBodies(scope);
        pageErrors(scope);
        const pages = {
          ...web,
          store: account_store,
          organizations,
          invitations,
          sign_ups,
          sign_ins,
          password_mails,
          password_chars,
        };
        addPageRoutes(scope, pages, addSignUpRoutes(scope, pages));
        addPasswordRoutes(scope, pages);
        addApprovalRoutes(scope, pages);
        addConsoleTokenRoute(scope, { ...pages, audience: deps.baseUrl });
        addProtocolRoutes(scope, { ...web, store: account_store, default_resource: mcp_url });
      });
    },
  };
}

/** An issuer is an https URL save on this very machine, and the engine writes it so. */
export function issuerOf(base_url: string): string {
  const url = new URL(`${base_url}/auth`);
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)) url.protocol = 'https:';
  return url.href;
}

/** Made on the first call. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
