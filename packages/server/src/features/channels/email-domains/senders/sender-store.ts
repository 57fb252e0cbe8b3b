// The SQL of senders: verified domains that emails are sent from, and the DKIM key of the service domain.
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

/** The data of a verified domain that sending needs. */
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

/** The DKIM key of a domain of the service itself; the private key is sealed. */
export type ServiceMailKey = { domain: string; selector: string; public_key: string; private_key: string };

const columns = sql`d.id, d.kind, d.domain, d.default_address, d.mail_from_domain, d.mail_from_status, d.dkim_selector,
  d.dkim_private_key`;

export function senderStore(db: Database) {
  const serviceMailKey = (domain: string) =>
    db.maybe<ServiceMailKey>(sql`
      select domain, selector, public_key, private_key from service_mail_keys where domain = ${domain}`);
  return {
    newest: (organization_id: string) =>
      db.maybe<Sender>(sql`
        select ${columns} from email_domains d
         where d.organization_id = ${organization_id} and d.verification_status = 'verified' order by d.id desc limit 1`),

    byId: (organization_id: string, id: string) =>
      db.maybe<Sender>(sql`
        select ${columns} from email_domains d
         where d.organization_id = ${organization_id} and d.id = ${id} and d.verification_status = 'verified'`),

    /** A custom domain owns all of its addresses, a service_mail domain exactly one. */
    byAddress: (organization_id: string, address: string) =>
      db.maybe<Sender>(sql`
        select ${columns} from email_domains d
         where d.organization_id = ${organization_id} and d.verification_status = 'verified'
           and ((d.kind = 'custom' and d.domain = ${address.slice(address.lastIndexOf('@') + 1)})
             or (d.kind = 'service_mail' and d.default_address = ${address.toLowerCase()}))
         order by d.id desc limit 1`),

    serviceMailKey,

    /** If several processes create a key concurrently, the first one is stored, and all of them use it. */
    async storeServiceMailKey(key: ServiceMailKey & { created_at: Date }): Promise<ServiceMailKey> {
      const { domain, selector, public_key, private_key, created_at } = key;
      await db.run(sql`
        insert into service_mail_keys (domain, selector, public_key, private_key, created_at)
        values (${domain}, ${selector}, ${public_key}, ${private_key}, ${created_at}) on conflict do nothing`);
      return (await serviceMailKey(domain))!;
    },
  };
}
export type SenderStore = ReturnType<typeof senderStore>;
