// Builds managed mode: organizations, members, issued keys, tokens, and the accounts of people.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.ts';
import { mcpUrl } from '../../../config/mcp.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Authenticator, Routes } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import type { SystemMailSender } from '../../../platform/system-mail.ts';
import type { AuditLog } from '../audit/index.ts';
import {
  apiKeyRoutes,
  apiKeyService,
  type CredentialChanges,
  type CredentialLimits,
  identityStore,
  issuedKeyAuthenticator,
  jwtAuthenticator,
  type SharedKeyFingerprints,
} from '../identity/index.ts';
import {
  invitationRoutes,
  invitationService,
  invitationStore,
  type MembershipContacts,
  memberRoutes,
  memberService,
  memberStore,
  operatorService,
  organizationRoutes,
  organizationService,
  organizationStore,
  peopleStore,
} from '../organizations/index.ts';
import { accountJobs } from './account-jobs.ts';
import { addAccountRoutes } from './account-routes.ts';
import { password_chars } from './account-rules.ts';
import { accountStore } from './account-store.ts';
import { attemptLimits } from './attempt-limits.ts';
import { deviceLogins } from './device/device-logins.ts';
import type { AccountEngine } from './engine.ts';
import type { PasswordHashing } from './engine-options.ts';
import { oauthGrantRoutes } from './oauth/routes.ts';
import { headersOf } from './pages/web.ts';
import { passwordMails } from './sign-in/password-mails.ts';
import { signIns } from './sign-in/sign-ins.ts';
import { signUps } from './sign-up/sign-ups.ts';
import { issuerOf, trustedIssuers } from './trusted-issuers.ts';

export type ManagedModeDeps = {
  db: Database;
  clock: Clock;
  wall_clock: Clock;
  ids: Ids;
  log: Log;
  contacts: MembershipContacts;
  audit: AuditLog;
  changes: CredentialChanges;
  shared_keys: SharedKeyFingerprints;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  mail: SystemMailSender;
  baseUrl(): string;
  config: Config;
  /** Signs cookies and encrypts signing keys. */
  secret: string;
  rules: { limitNewRecipients(tx: Transaction, organization_id: string, per_day: number): Promise<void> };
  credential_limits: CredentialLimits;
  passwords?: PasswordHashing;
};

/** When managed mode is off, only the shared key and the keys that it issued are accepted. */
export function managedMode(deps: ManagedModeDeps) {
  const is_managed = deps.config.PARLEY_MANAGED === 'on';
  const tenancy = tenancyServices(deps, is_managed, () => engine());
  const engine = lazyEngine(deps, tenancy.organizations);
  const accounts = accountServices(deps, tenancy, engine);

  const tokens = () =>
    jwtAuthenticator({
      ...tenancy.credentials,
      issuers: accounts.issuers,
      limitGrant: deps.credential_limits.ensureDefaults,
    });
  const authenticators: Authenticator[] = [
    issuedKeyAuthenticator({ ...tenancy.credentials, managed: is_managed }),
    ...(is_managed ? [tokens()] : []),
  ];
  const jobs: JobHandler[] = [
    ...accounts.devices.jobs,
    ...accounts.sign_ups.jobs,
    ...accounts.sign_ins.jobs,
    ...accounts.password_mails.jobs,
    ...accountJobs({ ...deps, store: accounts.store }),
  ];
  return {
    authenticators,
    routes: tenancy.routes,
    jobs,
    /** Who is signed in to the account pages. */
    async signedIn(request: FastifyRequest): Promise<{ user_id: string } | null> {
      if (!is_managed) return null;
      const signed_in = await (await engine()).session(headersOf(request));
      return signed_in && { user_id: signed_in.user.id };
    },
    /** The pages and routes of accounts; none when managed mode is off. */
    addHttp(http: FastifyInstance): void {
      if (!is_managed) return;
      addAccountRoutes(http, {
        ...deps,
        ...tenancy,
        ...accounts,
        engine,
        sign_up: deps.config.PARLEY_SIGN_UP,
        password_chars,
        default_resource: mcpUrl(deps.config),
      });
    },
  };
}

type Engine = () => Promise<AccountEngine>;
type Tenancy = ReturnType<typeof tenancyServices>;

function tenancyServices(deps: ManagedModeDeps, managed: boolean, engine: Engine) {
  const { db, config, baseUrl } = deps;
  const identities = identityStore(db);
  const people = peopleStore(db);
  const base = {
    ...deps,
    store: organizationStore(db),
    member_store: memberStore(db),
    invitation_store: invitationStore(db),
    people,
    identities,
  };
  const credentials = { ...deps, store: identities };
  const api_keys = apiKeyService({
    ...credentials,
    managed,
    max_keys: config.PARLEY_KEYS_PER_ORGANIZATION,
  });
  const members = memberService(base);
  const organizations = organizationService({
    ...base,
    members,
    api_keys,
    limitNewRecipients: (tx, organization_id) =>
      deps.rules.limitNewRecipients(tx, organization_id, config.PARLEY_NEW_RECIPIENTS_PER_DAY),
    organizations_per_person: config.PARLEY_ORGANIZATIONS_PER_PERSON,
    sign_up_caps: {
      calls: config.PARLEY_SIGN_UP_CALLS_PER_HOUR,
      emails: config.PARLEY_SIGN_UP_EMAILS_PER_HOUR,
      sms: config.PARLEY_SIGN_UP_SMS_PER_HOUR,
    },
  });
  const operator = operatorService({
    ...base,
    organizations,
    members,
    api_keys,
    async passwordLink(user_id) {
      const { token, expires_at } = await (await engine()).passwordToken(user_id);
      return { url: `${baseUrl()}/auth/passwords/${token}`, expires_at: expires_at.toISOString() };
    },
  });
  const invitations = invitationService({
    ...base,
    members,
    requireManaged: api_keys.requireManaged,
    acceptUrl: (token) => `${baseUrl()}/auth/invitations/${token}`,
  });
  const routes: Routes[] = [
    apiKeyRoutes(api_keys),
    oauthGrantRoutes(base),
    memberRoutes(members),
    invitationRoutes(invitations),
    organizationRoutes(organizations, operator, members, invitations),
  ];
  return { people, credentials, api_keys, organizations, invitations, routes };
}

function accountServices(deps: ManagedModeDeps, { people, api_keys }: Tenancy, engine: Engine) {
  const store = accountStore(deps.db);
  const attempts = attemptLimits(deps);
  const with_engine = { ...deps, people, engine, store, attempts };
  return {
    store,
    attempts,
    devices: deviceLogins({
      ...deps,
      api_keys,
      limitKey: deps.credential_limits.addDefaults,
      key_days: deps.config.PARLEY_DEVICE_KEY_DAYS,
    }),
    sign_ups: signUps(with_engine),
    sign_ins: signIns(with_engine),
    password_mails: passwordMails(with_engine),
    issuers: trustedIssuers({ ...deps, engine, ownAudiences: () => ownAudiences(deps) }),
  };
}

/** Loads the engine on first use: it is large, and needs the base URL, which is known after the server listens. */
function lazyEngine(deps: ManagedModeDeps, organizations: Tenancy['organizations']): Engine {
  let engine: Promise<AccountEngine> | undefined;
  return () => {
    engine ??= import('./engine.ts').then(({ accountEngine }) =>
      accountEngine({
        ...deps,
        base_url: deps.baseUrl(),
        issuer: issuerOf(deps.baseUrl()),
        resources: [...new Set(ownAudiences(deps))],
        onlyOrganizationOf: async (user_id) => {
          const memberships = await organizations.ofUser(user_id);
          return memberships.length === 1 ? memberships[0]!.id : null;
        },
      }),
    );
    return engine;
  };
}

/** What our own OAuth server issues tokens for; the settings for an external issuer do not change it. */
const ownAudiences = ({ config, baseUrl }: ManagedModeDeps): string[] => [mcpUrl(config), baseUrl()];
