// Builds the row of a new email domain.
import type { Clock } from '../../../platform/clock.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { DkimKeys } from './dns/dkim-keys.ts';
import { selectorOf } from './dns/dkim-keys.ts';
import { recordsToPublish } from './dns/dns-records.ts';
import type { NewDomain } from './store.ts';

export type NewDomainDeps = {
  clock: Clock;
  ids: Ids;
  /** Name of the mail transport. */
  provider: string;
  /** The target of MX records, and the SPF record that allows our relay to send. */
  mail_host: string;
  spf: string;
  /** The operator's maximum of forward_rate_per_hour. */
  forward_per_hour_max: number;
};

const default_forward_rate_per_hour = 60;
const custom_local_part = 'agent';

const commonColumns = (deps: NewDomainDeps, organization_id: string, id: string) => {
  const now = deps.clock.now().toISOString();
  return {
    id,
    organization_id,
    is_vouched: false,
    provider: deps.provider,
    created_at: now,
    updated_at: now,
    inbound_enabled: true,
    forward_to: [],
    forward_pending: [],
    forward_held: [],
    email_agent_id: null,
    agent_addresses: [],
    forward_rate_per_hour: Math.min(default_forward_rate_per_hour, deps.forward_per_hour_max),
  };
};

/** An address on our own domain is verified from the start: there is nothing to prove. */
export function newServiceMailDomain(
  deps: NewDomainDeps,
  organization_id: string,
  { user, org, domain }: { user: string; org: string; domain: string },
): NewDomain {
  const common = commonColumns(deps, organization_id, deps.ids.next());
  return {
    ...common,
    kind: 'service_mail',
    domain,
    local_prefix_user: user,
    local_prefix_org: org,
    default_address: `${user}+${org}@${domain}`,
    verification_status: 'verified',
    dns_records: [],
    mail_from_domain: domain,
    mail_from_status: 'verified',
    verified_at: common.created_at,
    receive_ready: true,
    mx_ready: true,
    dkim_selector: null,
    dkim_private_key: null,
  };
}

export async function newCustomDomain(
  deps: NewDomainDeps,
  keys: DkimKeys,
  organization_id: string,
  domain: string,
): Promise<NewDomain> {
  const id = deps.ids.next();
  const selector = selectorOf(id);
  const mail_from_domain = `bounce.${domain}`;
  const { public_key, sealed } = await keys.create(id);
  const { mail_host, spf } = deps;
  return {
    ...commonColumns(deps, organization_id, id),
    kind: 'custom',
    domain,
    local_prefix_user: null,
    local_prefix_org: null,
    default_address: `${custom_local_part}@${domain}`,
    verification_status: 'pending',
    dns_records: recordsToPublish({ domain, mail_from_domain, selector, public_key, mail_host, spf }),
    mail_from_domain,
    mail_from_status: 'pending',
    verified_at: null,
    receive_ready: false,
    mx_ready: false,
    dkim_selector: selector,
    dkim_private_key: sealed,
  };
}
