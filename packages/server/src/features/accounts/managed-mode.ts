// Puts managed mode together: organizations, members, issued keys, tokens, and the accounts of people.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { freshValue } from '../../platform/fresh-value.ts';
import type { Authenticator, Routes } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
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
} from '../organizations/index.ts';

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
  baseUrl(): string;
  /** Off: nobody but the holder of the shared key is recognised, and nothing is looked up. */
  managed: boolean;
  outside_issuer: { issuer: string; jwks_url: string } | null;
  audiences(): string[];
};

export function managedMode(deps: ManagedModeDeps) {
  const { db, managed, audit } = deps;
  const store = organizationStore(db);
  const identities = identityStore(db);
  const version = freshValue({
    load: () => identities.credentialsVersion(),
    max_age_ms: credentials_age_ms,
  });
  const base = { ...deps, store, identities, version };
  const api_keys = apiKeyService({ ...base, store: identities });
  const members = memberService(base);
  const organizations = organizationService({ ...base, members, api_keys });
  const invitations = invitationService({
    ...base,
    members,
    requireManaged: api_keys.requireManaged,
    acceptUrl: (token) => `${deps.baseUrl()}/auth/invitations/${token}`,
  });

  const outside: TrustedIssuer[] = deps.outside_issuer
    ? [
        {
          issuer: deps.outside_issuer.issuer,
          audiences: deps.audiences(),
          keys: issuerKeys(deps.outside_issuer.jwks_url),
          subject: 'external_subject',
          full_scope: null,
        },
      ]
    : [];

  const authenticators: Authenticator[] = managed
    ? [
        issuedKeyAuthenticator({ ...deps, store: identities, version }),
        jwtAuthenticator({ ...deps, store: identities, version, issuers: () => outside }),
      ]
    : [];

  const routes: Routes[] = [
    apiKeyRoutes(api_keys),
    memberRoutes(members),
    invitationRoutes(invitations),
    organizationRoutes(organizations, members, invitations),
  ];
  return { authenticators, routes, audit };
}
