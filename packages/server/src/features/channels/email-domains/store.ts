// The SQL of email domains.
import type { AgentAddress, DnsRecord, EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { waitingForwards } from './forwards/forward-hold-store.ts';
import { confirmedForwards, pendingForwards } from './forwards/forward-store.ts';

export type NewDomain = EmailDomain & {
  dkim_selector: string | null;
  dkim_private_key: string | null;
  mx_ready: boolean;
};

const columns = (
  forward_per_hour_max: number,
) => sql`id, organization_id, kind, domain, local_prefix_user, local_prefix_org, default_address,
  verification_status, dns_records, mail_from_domain, mail_from_status, provider, iso(verified_at) as verified_at,
  coalesce(is_verified_by_person, false) as is_vouched,
  iso(created_at) as created_at, iso(updated_at) as updated_at, inbound_enabled,
  ${confirmedForwards} as forward_to, ${pendingForwards} as forward_pending, ${waitingForwards} as forward_held,
  least(forward_rate_per_hour, ${forward_per_hour_max}::int) as forward_rate_per_hour, email_agent_id,
  coalesce(agent_addresses, '[]') as agent_addresses,
  (verification_status = 'verified' and inbound_enabled and mx_ready) as receive_ready`;

const list = cursors('email_domains');

/** One of the unique indexes: the domain or the address belongs to another row. */
const isTaken = (error: unknown) =>
  /^email_domains_(verified|own|address)$/.test((error as { constraint?: string }).constraint ?? '');

export function emailDomainStore(db: Database, forward_per_hour_max: number) {
  const record = columns(forward_per_hour_max);
  return {
    /** False if the domain or the address belongs to another row. */
    async insert(organization_id: string, domain: NewDomain): Promise<boolean> {
      try {
        await db.run(sql`
          insert into email_domains
          select * from json_populate_record(null::email_domains, ${JSON.stringify({ ...domain, organization_id })})`);
        return true;
      } catch (error) {
        if (isTaken(error)) return false;
        throw error;
      }
    },

    isVerifiedElsewhere: async (organization_id: string, domain: string): Promise<boolean> =>
      (await db.maybe(sql`
        select 1 from email_domains where domain = ${domain} and kind = 'custom'
           and verification_status = 'verified' and organization_id <> ${organization_id}`)) !== null,

    hasAddress: async (organization_id: string, default_addresses: string[]): Promise<boolean> =>
      (await db.maybe(sql`
        select 1 from email_domains where organization_id = ${organization_id} and kind = 'service_mail'
           and default_address = any(${default_addresses})`)) !== null,

    find: (organization_id: string, id: string) =>
      db.maybe<EmailDomain>(sql`
        select ${record} from email_domains where organization_id = ${organization_id} and id = ${id}`),

    list: (organization_id: string, query: PageRequest) =>
      readPage<EmailDomain>(db, list, query, {
        columns: record,
        from: sql`email_domains`,
        where: sql`organization_id = ${organization_id}`,
      }),

    /** The DNS records, as last checked, of the domain that receives mail for some organization; null if there is none. */
    recordsOfReceiving: async (domain: string): Promise<DnsRecord[] | null> =>
      (
        await db.maybe<{ dns_records: DnsRecord[] }>(sql`
          select dns_records from email_domains
           where kind = 'custom' and domain = ${domain} and verification_status = 'verified' and inbound_enabled`)
      )?.dns_records ?? null,

    /** Custom domains, unverified ones first. */
    toCheck: (organization_id: string, limit: number) =>
      db.rows<EmailDomain>(sql`
        select ${record} from email_domains where organization_id = ${organization_id} and kind = 'custom'
         order by verification_status = 'verified', domain limit ${limit}`),

    update: (organization_id: string, id: string, change: DomainChange, on: Queryable = db) =>
      on.maybe<EmailDomain>(sql`
        update email_domains set inbound_enabled = coalesce(${change.inbound_enabled}::boolean, inbound_enabled),
               forward_to = coalesce(${change.forward_to}::text[], forward_to),
               forward_rate_per_hour = coalesce(${change.forward_rate_per_hour}::int, forward_rate_per_hour),
               email_agent_id = case when ${change.email_agent_id !== undefined} then ${change.email_agent_id ?? null}::uuid else email_agent_id end,
               agent_addresses = coalesce(${change.agent_addresses && JSON.stringify(change.agent_addresses)}::json, agent_addresses),
               updated_at = ${change.now}
         where organization_id = ${organization_id} and id = ${id} returning ${record}`),

    saveCheck: (organization_id: string, id: string, checked: CheckResult) =>
      saveCheck(db, record, { organization_id, id }, checked),

    /** Refusals of forward addresses are kept. */
    delete: async (tx: Transaction, organization_id: string, id: string): Promise<boolean> =>
      (await tx.run(sql`
        with removed as (delete from email_forward_confirmations
                          where organization_id = ${organization_id} and email_domain_id = ${id} and refused_at is null)
        delete from email_domains where organization_id = ${organization_id} and id = ${id}`)) > 0,
  };
}
export type EmailDomainStore = ReturnType<typeof emailDomainStore>;

/** Null leaves a column unchanged. */
type DomainChange = {
  inbound_enabled: boolean | null;
  forward_to: string[] | null;
  forward_rate_per_hour: number | null;
  /** Null removes the agent; undefined leaves it. */
  email_agent_id: string | null | undefined;
  agent_addresses: AgentAddress[] | null;
  now: Date;
};

/** Null leaves a column unchanged: a concurrent check may have stored a result. */
type CheckResult = {
  verification_status: EmailDomain['verification_status'] | null;
  mail_from_status: EmailDomain['mail_from_status'] | null;
  mx_ready: boolean | null;
  dns_records: DnsRecord[];
  /** Only a person's verification vouches for the addresses of the domain. */
  is_person: boolean;
  now: Date;
};

/** 'taken' if another organization verified the same domain first. */
async function saveCheck(
  db: Database,
  record: Sql,
  { organization_id, id }: { organization_id: string; id: string },
  checked: CheckResult,
): Promise<EmailDomain | 'taken' | null> {
  try {
    return await db.maybe<EmailDomain>(sql`
      update email_domains set verification_status = coalesce(${checked.verification_status}::text, verification_status),
             mail_from_status = coalesce(${checked.mail_from_status}::text, mail_from_status), dns_records = ${JSON.stringify(checked.dns_records)},
             mx_ready = coalesce(${checked.mx_ready}::boolean, mx_ready), updated_at = ${checked.now},
             verified_at = case when coalesce(${checked.verification_status}::text, verification_status) = 'verified'
                                then coalesce(verified_at, ${checked.now}) end,
             is_verified_by_person = coalesce(${checked.verification_status}::text, verification_status) = 'verified'
                                     and (${checked.is_person} or coalesce(is_verified_by_person, false))
       where organization_id = ${organization_id} and id = ${id} returning ${record}`);
  } catch (error) {
    if (isTaken(error)) return 'taken';
    throw error;
  }
}
