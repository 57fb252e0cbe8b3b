// The SQL of email domains.
import type { DnsRecord, EmailDomain } from '@parley/contract/email-domains';
import { batched } from '../../platform/batch.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import { confirmedForwards, pendingForwards } from './forward-store.ts';

/** What sending needs to know of a verified domain. */
export type Sender = {
  id: string;
  kind: EmailDomain['kind'];
  domain: string;
  default_address: string;
  mail_from_domain: string;
  mail_from_status: EmailDomain['mail_from_status'];
  dkim_selector: string | null;
  dkim_private_key: string | null;
};

/** What receiving needs to know of a domain that takes mail. */
export type Receiver = {
  organization_id: string;
  email_domain_id: string;
  kind: EmailDomain['kind'];
  domain: string;
  default_address: string;
  forward_to: string[];
  forward_rate_per_hour: number;
};

/** The key of a domain of the service itself; its private half is sealed. */
export type ServiceMailKey = { domain: string; selector: string; public_key: string; private_key: string };

export type NewDomain = EmailDomain & {
  dkim_selector: string | null;
  dkim_private_key: string | null;
  mx_ready: boolean;
};

const columns = (
  forward_per_hour_max: number,
) => sql`id, organization_id, kind, domain, local_prefix_user, local_prefix_org, default_address,
  verification_status, dns_records, mail_from_domain, mail_from_status, provider, iso(verified_at) as verified_at,
  iso(created_at) as created_at, iso(updated_at) as updated_at, inbound_enabled,
  ${confirmedForwards} as forward_to, ${pendingForwards} as forward_pending,
  least(forward_rate_per_hour, ${forward_per_hour_max}::int) as forward_rate_per_hour,
  (verification_status = 'verified' and inbound_enabled and mx_ready) as receive_ready`;
const sender = sql`d.id, d.kind, d.domain, d.default_address, d.mail_from_domain, d.mail_from_status, d.dkim_selector,
  d.dkim_private_key`;

const list = cursors('email_domains');

const isTaken = (error: unknown) =>
  /^email_domains_(verified|own|address)$/.test((error as { constraint?: string }).constraint ?? '');

export function emailDomainStore(db: Database, forward_per_hour_max: number) {
  const record = columns(forward_per_hour_max);
  // Every message that comes in asks who its recipient is.
  const receiving = batched<{ domain: string; composed: string }, Receiver | null>(
    async (asked) => {
      const rows = await db.rows<Receiver>(sql`
        select organization_id, id as email_domain_id, kind, domain, default_address, ${confirmedForwards} as forward_to,
               least(forward_rate_per_hour, ${forward_per_hour_max}::int) as forward_rate_per_hour
          from email_domains
         where verification_status = 'verified' and inbound_enabled
           and ((kind = 'custom' and domain = any(${asked.map((each) => each.domain)}))
             or (kind = 'service_mail' and default_address = any(${asked.map((each) => each.composed)})))`);
      const custom = new Map(rows.filter((row) => row.kind === 'custom').map((row) => [row.domain, row]));
      const composed = new Map(
        rows.filter((row) => row.kind === 'service_mail').map((row) => [row.default_address, row]),
      );
      return asked.map((each) => composed.get(each.composed) ?? custom.get(each.domain) ?? null);
    },
    { max_flushes: 2 },
  );

  return {
    /** Whoever receives at an address: the holder of its domain, or of the composed address itself. */
    receiving: (address: { domain: string; composed: string }) => receiving(address),

    /** False when the domain or the address is taken. */
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
      readPage(db, list, query, {
        columns: record,
        from: sql`email_domains`,
        where: sql`organization_id = ${organization_id}`,
      }),

    update: (
      organization_id: string,
      id: string,
      change: {
        inbound_enabled: boolean | null;
        forward_to: string[] | null;
        forward_rate_per_hour: number | null;
        now: Date;
      },
      on: Queryable = db,
    ) =>
      on.maybe<EmailDomain>(sql`
        update email_domains set inbound_enabled = coalesce(${change.inbound_enabled}::boolean, inbound_enabled),
               forward_to = coalesce(${change.forward_to}::text[], forward_to),
               forward_rate_per_hour = coalesce(${change.forward_rate_per_hour}::int, forward_rate_per_hour),
               updated_at = ${change.now}
         where organization_id = ${organization_id} and id = ${id} returning ${record}`),

    /** 'taken' when another organization proved the same domain first. */
    async saveCheck(
      organization_id: string,
      id: string,
      /** Null keeps what is known by now: another check may have ended meanwhile. */
      checked: {
        verification_status: EmailDomain['verification_status'] | null;
        mail_from_status: EmailDomain['mail_from_status'] | null;
        mx_ready: boolean | null;
        dns_records: DnsRecord[];
        now: Date;
      },
    ): Promise<EmailDomain | 'taken' | null> {
      try {
        return await db.maybe<EmailDomain>(sql`
          update email_domains set verification_status = coalesce(${checked.verification_status}::text, verification_status),
                 mail_from_status = coalesce(${checked.mail_from_status}::text, mail_from_status), dns_records = ${JSON.stringify(checked.dns_records)},
                 mx_ready = coalesce(${checked.mx_ready}::boolean, mx_ready), updated_at = ${checked.now},
                 verified_at = case when coalesce(${checked.verification_status}::text, verification_status) = 'verified'
                                    then coalesce(verified_at, ${checked.now}) end
           where organization_id = ${organization_id} and id = ${id} returning ${record}`);
      } catch (error) {
        if (isTaken(error)) return 'taken';
        throw error;
      }
    },

    delete: async (organization_id: string, id: string): Promise<boolean> =>
      (await db.run(sql`
        with forgotten as (delete from email_forward_confirmations
                            where organization_id = ${organization_id} and email_domain_id = ${id} and refused_at is null)
        delete from email_domains where organization_id = ${organization_id} and id = ${id}`)) > 0,

    serviceMailKey: (domain: string) =>
      db.maybe<ServiceMailKey>(sql`
        select domain, selector, public_key, private_key from service_mail_keys where domain = ${domain}`),

    /** Of several processes that made one at the same time the first decides, and all use its key. */
    async keepServiceMailKey(made: ServiceMailKey & { created_at: Date }): Promise<ServiceMailKey> {
      const { domain, selector, public_key, private_key, created_at } = made;
      await db.run(sql`
        insert into service_mail_keys (domain, selector, public_key, private_key, created_at)
        values (${domain}, ${selector}, ${public_key}, ${private_key}, ${created_at}) on conflict do nothing`);
      return (await this.serviceMailKey(domain))!;
    },

    newestSender: (organization_id: string) =>
      db.maybe<Sender>(sql`
        select ${sender} from email_domains d
         where d.organization_id = ${organization_id} and d.verification_status = 'verified' order by d.id desc limit 1`),

    senderById: (organization_id: string, id: string) =>
      db.maybe<Sender>(sql`
        select ${sender} from email_domains d
         where d.organization_id = ${organization_id} and d.id = ${id} and d.verification_status = 'verified'`),

    /** A custom domain owns all its addresses, a service_mail identity exactly one. */
    senderOf: (organization_id: string, address: string) =>
      db.maybe<Sender>(sql`
        select ${sender} from email_domains d
         where d.organization_id = ${organization_id} and d.verification_status = 'verified'
           and ((d.kind = 'custom' and d.domain = ${address.slice(address.lastIndexOf('@') + 1)})
             or (d.kind = 'service_mail' and d.default_address = ${address.toLowerCase()}))
         order by d.id desc limit 1`),
  };
}
export type EmailDomainStore = ReturnType<typeof emailDomainStore>;
