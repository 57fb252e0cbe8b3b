// The SQL of forward addresses: who agreed, who refused, and the links that were mailed.
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Of `w.address` in a query over email_domains: its owner agreed, or it lies on a verified domain of the organization. */
const isConfirmed = sql`(
  exists (select from email_forward_confirmations c
           where c.organization_id = email_domains.organization_id and c.email_domain_id = email_domains.id
             and c.address = w.address and c.confirmed_at is not null)
  or exists (select from email_domains own
              where own.organization_id = email_domains.organization_id and own.verification_status = 'verified'
                and ((own.kind = 'custom' and own.domain = lower(split_part(w.address, '@', -1)))
                  or (own.kind = 'service_mail' and own.default_address = lower(
                        split_part(w.address, '+', 1) || '+' || split_part(split_part(w.address, '@', 1), '+', 2)
                        || '@' || split_part(w.address, '@', -1))))))`;

const wanted = sql`unnest(email_domains.forward_to) with ordinality w (address, place)`;

/** The part of forward_to that mail goes to. */
export const confirmedForwards = sql`case when email_domains.forward_to = '{}' then '{}'::text[] else
  array(select w.address from ${wanted} where ${isConfirmed} order by w.place) end`;

/** The part of forward_to that waits for its owner. */
export const pendingForwards = sql`case when email_domains.forward_to = '{}' then '{}'::text[] else
  array(select w.address from ${wanted} where not ${isConfirmed} order by w.place) end`;

export type WantedForward = {
  organization_id: string;
  email_domain_id: string;
  /** What the mail is about: the domain, or the composed address. */
  receives_at: string;
  address: string;
};

type Link = { token_hash: string; kind: 'confirm' | 'stop'; expires_at: Date | null };
export type LinkedForward = WantedForward & { confirmation_id: string };

const receivesAt = sql`case when email_domains.kind = 'custom' then email_domains.domain else email_domains.default_address end`;

export function forwardStore(db: Database) {
  return {
    /** Where mail of the domain may go now. */
    async confirmed(organization_id: string, email_domain_id: string): Promise<string[]> {
      const row = await db.maybe<{ forward_to: string[] }>(sql`
        select ${confirmedForwards} as forward_to from email_domains
         where organization_id = ${organization_id} and id = ${email_domain_id}`);
      return row?.forward_to ?? [];
    },

    /** Forgets who is not wanted any more; a refusal is kept. Another spelling of the same address keeps what its owner said. */
    async keepOnly(
      tx: Transaction,
      organization_id: string,
      email_domain_id: string,
      addresses: { address: string; key: string }[],
    ): Promise<void> {
      const keys = addresses.map(({ key }) => key);
      const mine = sql`c.organization_id = ${organization_id} and c.email_domain_id = ${email_domain_id}`;
      await tx.run(sql`
        delete from email_forward_confirmations c
         where ${mine} and c.refused_at is null and c.address_key <> all(${keys}::text[])`);
      await tx.run(sql`
        update email_forward_confirmations c set address = w.address
          from unnest(${keys}::text[], ${addresses.map(({ address }) => address)}::text[]) w (key, address)
         where ${mine} and c.address_key = w.key and c.address <> w.address`);
    },

    /** Wanted addresses that wait and that no mail was sent to yet. */
    unasked: (email_domain_id: string | null, limit: number) =>
      db.rows<WantedForward>(sql`
        select organization_id, id as email_domain_id, ${receivesAt} as receives_at, w.address
          from email_domains, ${wanted}
         where forward_to <> '{}' and (${email_domain_id}::uuid is null or id = ${email_domain_id}) and not ${isConfirmed}
           and not exists (select from email_forward_confirmations c
                            where c.email_domain_id = email_domains.id and c.address = w.address)
         order by id, w.place limit ${limit}`),

    pending: (organization_id: string, email_domain_id: string) =>
      db.rows<WantedForward>(sql`
        select organization_id, id as email_domain_id, ${receivesAt} as receives_at, w.address
          from email_domains, ${wanted}
         where organization_id = ${organization_id} and id = ${email_domain_id} and not ${isConfirmed}`),

    /** Whether the owner refused mail of the organization, for whichever of its domains. */
    isRefused: async (organization_id: string, address_key: string, since: Date): Promise<boolean> =>
      (await db.maybe(sql`
        select 1 from email_forward_confirmations
         where organization_id = ${organization_id} and address_key = ${address_key} and refused_at > ${since}`)) !==
      null,

    /** The row of an address that waits; null when its owner answered meanwhile, or another process asks at this moment. */
    async ask(
      tx: Transaction,
      forward: WantedForward & { id: string; address_key: string; now: Date; is_again: boolean },
    ): Promise<string | null> {
      const row = await tx.maybe<{ id: string }>(sql`
        insert into email_forward_confirmations as c (id, organization_id, email_domain_id, address, address_key, requested_at)
        values (${forward.id}, ${forward.organization_id}, ${forward.email_domain_id}, ${forward.address},
                ${forward.address_key}, ${forward.now})
        on conflict (email_domain_id, address_key) do update
           set requested_at = excluded.requested_at, address = excluded.address, refused_at = null
         where c.confirmed_at is null and (${forward.is_again} or c.refused_at is not null)
        returning id`);
      return row?.id ?? null;
    },

    /** Earlier links that confirm end; earlier ones that stop keep working. */
    async addLinks(tx: Transaction, confirmation_id: string, links: Link[]): Promise<void> {
      await tx.run(sql`
        delete from email_forward_tokens where confirmation_id = ${confirmation_id} and kind = 'confirm'`);
      for (const { token_hash, kind, expires_at } of links) {
        await tx.run(sql`
          insert into email_forward_tokens (token_hash, confirmation_id, kind, expires_at)
          values (${token_hash}, ${confirmation_id}, ${kind}, ${expires_at})`);
      }
    },

    /** What a link is about; null when it was used, ended or never existed. */
    linked: (token_hash: string, kind: Link['kind'], now: Date, on: Queryable = db) =>
      on.maybe<LinkedForward>(sql`
        select c.id as confirmation_id, c.organization_id, c.email_domain_id, c.address,
               coalesce((select ${receivesAt} from email_domains where id = c.email_domain_id), '') as receives_at
          from email_forward_tokens t join email_forward_confirmations c on c.id = t.confirmation_id
         where t.token_hash = ${token_hash} and t.kind = ${kind} and (t.expires_at is null or t.expires_at > ${now})`),

    /** Before its links, as deleting it does: two changes of one row cannot wait for each other. */
    lock: (tx: Transaction, confirmation_id: string) =>
      tx.run(sql`select 1 from email_forward_confirmations where id = ${confirmation_id} for update`),

    /** False when another request used the link first. */
    async confirm(tx: Transaction, token_hash: string, confirmation_id: string, now: Date): Promise<boolean> {
      const used = await tx.run(sql`
        delete from email_forward_tokens where token_hash = ${token_hash} and kind = 'confirm'`);
      if (used === 0) return false;
      await tx.run(sql`
        update email_forward_confirmations set confirmed_at = ${now}, refused_at = null where id = ${confirmation_id}`);
      return true;
    },

    async refuse(tx: Transaction, confirmation_id: string, now: Date): Promise<void> {
      await tx.run(sql`
        delete from email_forward_tokens where confirmation_id = ${confirmation_id} and kind = 'confirm'`);
      await tx.run(sql`
        update email_forward_confirmations set confirmed_at = null, refused_at = coalesce(refused_at, ${now})
         where id = ${confirmation_id}`);
    },

    /** Refusals of addresses that are not wanted any more. */
    forgetRefusals: (before: Date) =>
      db.run(sql`
        delete from email_forward_confirmations c
         where refused_at < ${before}
           and not exists (select from email_domains d where d.id = c.email_domain_id and c.address = any(d.forward_to))`),
  };
}
export type ForwardStore = ReturnType<typeof forwardStore>;
