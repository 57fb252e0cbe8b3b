// Creates email domains: an address on the service domain, a custom domain, or the automatic sandbox address.
import type { EmailDomain, EmailDomainCreate } from '@parley/contract/channels/emails/email-domains';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { DkimKeys } from './dns/dkim-keys.ts';
import { type NewDomainDeps, newCustomDomain, newServiceMailDomain } from './new-domain.ts';
import { readCustomName, readPrefixes } from './requested-domain.ts';
import { organizationPrefix } from './senders/default-prefix.ts';
import type { EmailDomainStore, NewDomain } from './store.ts';

export type CreateDomainDeps = NewDomainDeps & {
  store: EmailDomainStore;
  keys: DkimKeys;
  /** The domain of service_mail addresses, and the prefixes for requests without prefixes. */
  service_mail: { domain: string; prefix_user: string | null; prefix_org: string | null };
  /** With a simulated transport, an organization without a domain gets an address at this one. */
  sandbox_domain: string | null;
};

export const createDomain = (
  deps: CreateDomainDeps,
  organization_id: string,
  request: EmailDomainCreate,
): Promise<EmailDomain> =>
  request.kind === 'service_mail'
    ? createServiceMail(deps, organization_id, request)
    : createCustom(deps, organization_id, request);

async function createCustom(
  deps: CreateDomainDeps,
  organization_id: string,
  request: EmailDomainCreate,
): Promise<EmailDomain> {
  const reserved = [deps.service_mail.domain, deps.mail_host, deps.sandbox_domain ?? 'sandbox.test'];
  const domain = readCustomName(request, reserved);
  if (await deps.store.isVerifiedElsewhere(organization_id, domain)) throw new ApiError('email_domain_taken');
  return insertOrThrow(deps, await newCustomDomain(deps, deps.keys, organization_id, domain));
}

/** The operator's default prefix works for every organization: the first one gets it as it is, others with a suffix. */
async function createServiceMail(
  deps: CreateDomainDeps,
  organization_id: string,
  request: EmailDomainCreate,
): Promise<EmailDomain> {
  const { user, org } = readPrefixes(request, deps.service_mail);
  const { domain } = deps.service_mail;
  const requested = newServiceMailDomain(deps, organization_id, { user, org, domain });
  if (request.local_prefix_org != null) return insertOrThrow(deps, requested);
  const suffixed = newServiceMailDomain(deps, organization_id, {
    user,
    org: organizationPrefix(org, organization_id),
    domain,
  });
  const addresses = [requested.default_address, suffixed.default_address];
  if (await deps.store.hasAddress(organization_id, addresses)) throw new ApiError('email_domain_taken');
  return (await insertDomain(deps, requested)) ?? insertOrThrow(deps, suffixed);
}

/** Gives an organization that sends without any domain an address at the sandbox domain. */
export async function createSandboxSender(deps: CreateDomainDeps, organization_id: string): Promise<void> {
  if (!deps.sandbox_domain) return;
  const address = { user: 'agent', org: organization_id.slice(-12), domain: deps.sandbox_domain };
  await deps.store.insert(organization_id, newServiceMailDomain(deps, organization_id, address));
}

/** Null if another organization has the domain or the address. */
async function insertDomain(deps: CreateDomainDeps, domain: NewDomain): Promise<EmailDomain | null> {
  if (!(await deps.store.insert(domain.organization_id, domain))) return null;
  const { dkim_selector: _, dkim_private_key: __, mx_ready: ___, ...record } = domain;
  return record;
}

async function insertOrThrow(deps: CreateDomainDeps, domain: NewDomain): Promise<EmailDomain> {
  const record = await insertDomain(deps, domain);
  if (!record) throw new ApiError('email_domain_taken');
  return record;
}
