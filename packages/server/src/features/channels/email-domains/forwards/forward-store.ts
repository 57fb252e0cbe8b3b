// The SQL of forward addresses: confirmations, refusals, and the links in confirmation mails.
import type { Queryable, Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import { isHeld } from './forward-hold-store.ts';

/** Whether the domain `own` is that of the address. */
const receives = (
  address: Sql,
) => sql`((own.kind = 'custom' and own.domain = lower(split_part(${address}, '@', -1)))
  or (own.kind = 'service_mail' and own.default_address = lower(
        split_part(${address}, '+', 1) || '+' || split_part(split_part(${address}, '@', 1), '+', 2)
        || '@' || split_part(${address}, '@', -1))))`;

/**
 * For `f.address` in a query over email_domains: its owner confirmed it, or it is on a domain of the organization that a
 * person had verified, or is its address at the service; and it does not wait for an approval.
 */
const isConfirmed = sql`(not ${isHeld} and (
  exists (select from email_forward_confirmations c
           where c.organization_id = email_domains.organization_id and c.email_domain_id = email_domains.id
             and c.address = f.address and c.confirmed_at is not null)
  or exists (select from email_domains own
              where own.organization_id = email_domains.organization_id and own.verification_status = 'verified'
                and (own.kind <> 'custom' or own.is_verified_by_person) and ${receives(sql`f.address`)})))`;

/** Whether the organization itself receives mail at the address. What a program had verified waits for a person. */
export const isOnVerifiedDomain = async (
  on: Queryable,
  organization_id: string,
  address: string,
): Promise<boolean> =>
  (await on.maybe(sql`
    select 1 from email_domains own
     where own.organization_id = ${organization_id} and own.verification_status = 'verified'
       and ${receives(sql`${address}::text`)} limit 1`)) !== null;

const forwards = sql`unnest(email_domains.forward_to) with ordinality f (address, position)`;

/** The addresses of forward_to that receive mail. */
export const confirmedForwards = sql`case when email_domains.forward_to = '{}' then '{}'::text[] else
  array(select f.address from ${forwards} where ${isConfirmed} order by f.position) end`;

/** The addresses of forward_to that are not confirmed yet. */
export const pendingForwards = sql`case when email_domains.forward_to = '{}' then '{}'::text[] else
  array(select f.address from ${forwards} where not ${isConfirmed} order by f.position) end`;

export type PendingForward = {
  organization_id: string;
  email_domain_id: string;
  /** The domain or the service_mail address whose mail is to be forwarded. */
  receives_at: string;
  address: string;
};

type Link = { token_hash: string; kind: 'confirm' | 'stop'; expires_at: Date | null };
export type LinkedForward = PendingForward & { confirmation_id: string };

const receivesAt = sql`case when email_domains.kind = 'custom' then email_domains.domain else email_domains.default_address end`;

/** The addresses that mail of the domain may be forwarded to now. */
export async function findConfirmed(
  on: Queryable,
  organization_id: string,
  email_domain_id: string,
): Promise<string[]> {
  const row = await on.maybe<{ forward_to: string[] }>(sql`
    select ${confirmedForwards} as forward_to from email_domains
     where organization_id = ${organization_id} and id = ${email_domain_id}`);
  return row?.forward_to ?? [];
}

/**
 * Deletes the confirmations of addresses that are not in the list; refusals are kept. An address with another spelling but the
 * same key keeps its confirmation.
 */
export async function removeOtherConfirmations(
  tx: Transaction,
  organization_id: string,
  email_domain_id: string,
  addresses: { address: string; key: string }[],
): Promise<void> {
  const keys = addresses.map(({ key }) => key);
  const of_domain = sql`c.organization_id = ${organization_id} and c.email_domain_id = ${email_domain_id}`;
  await tx.run(sql`
    delete from email_forward_confirmations c
     where ${of_domain} and c.refused_at is null and c.address_key <> all(${keys}::text[])`);
  await tx.run(sql`
    update email_forward_confirmations c set address = f.address
      from unnest(${keys}::text[], ${addresses.map(({ address }) => address)}::text[]) f (key, address)
     where ${of_domain} and c.address_key = f.key and c.address <> f.address`);
}

/** Addresses without a confirmation mail, of one domain or of all. */
export const findUnrequested = (on: Queryable, email_domain_id: string | null, limit: number) =>
  on.rows<PendingForward>(sql`
    select organization_id, id as email_domain_id, ${receivesAt} as receives_at, f.address
      from email_domains, ${forwards}
     where forward_to <> '{}' and (${email_domain_id}::uuid is null or id = ${email_domain_id}) and not ${isConfirmed}
       and not ${isHeld}
       and not exists (select from email_forward_confirmations c
                        where c.email_domain_id = email_domains.id and c.address = f.address)
     order by id, f.position limit ${limit}`);

export const findPending = (on: Queryable, organization_id: string, email_domain_id: string) =>
  on.rows<PendingForward & { is_held: boolean }>(sql`
    select organization_id, id as email_domain_id, ${receivesAt} as receives_at, f.address, ${isHeld} as is_held
      from email_domains, ${forwards}
     where organization_id = ${organization_id} and id = ${email_domain_id} and not ${isConfirmed}`);

/** Whether the owner of the address refused mail of the organization, for any of its domains. */
export const isRefused = async (
  on: Queryable,
  organization_id: string,
  address_key: string,
  since: Date,
): Promise<boolean> =>
  (await on.maybe(sql`
    select 1 from email_forward_confirmations
     where organization_id = ${organization_id} and address_key = ${address_key} and refused_at > ${since}`)) !==
  null;

/** Returns the id of the request; null if the owner responded meanwhile or another process is sending the mail. */
export async function insertRequest(
  tx: Transaction,
  forward: PendingForward & { id: string; address_key: string; now: Date; is_repeated: boolean },
): Promise<string | null> {
  const row = await tx.maybe<{ id: string }>(sql`
    insert into email_forward_confirmations as c (id, organization_id, email_domain_id, address, address_key, requested_at)
    values (${forward.id}, ${forward.organization_id}, ${forward.email_domain_id}, ${forward.address},
            ${forward.address_key}, ${forward.now})
    on conflict (email_domain_id, address_key) do update
       set requested_at = excluded.requested_at, address = excluded.address, refused_at = null
     where c.confirmed_at is null and (${forward.is_repeated} or c.refused_at is not null)
    returning id`);
  return row?.id ?? null;
}

/** Earlier links to confirm become invalid; earlier links to stop keep working. */
export async function addLinks(tx: Transaction, confirmation_id: string, links: Link[]): Promise<void> {
  await tx.run(sql`
    delete from email_forward_tokens where confirmation_id = ${confirmation_id} and kind = 'confirm'`);
  for (const { token_hash, kind, expires_at } of links) {
    await tx.run(sql`
      insert into email_forward_tokens (token_hash, confirmation_id, kind, expires_at)
      values (${token_hash}, ${confirmation_id}, ${kind}, ${expires_at})`);
  }
}

/** The forward that a link is about; null if the link was used, expired or never existed. */
export const findByLink = (on: Queryable, token_hash: string, kind: Link['kind'], now: Date) =>
  on.maybe<LinkedForward>(sql`
    select c.id as confirmation_id, c.organization_id, c.email_domain_id, c.address,
           coalesce((select ${receivesAt} from email_domains where id = c.email_domain_id), '') as receives_at
      from email_forward_tokens t join email_forward_confirmations c on c.id = t.confirmation_id
     where t.token_hash = ${token_hash} and t.kind = ${kind} and (t.expires_at is null or t.expires_at > ${now})`);

/** Locks the confirmation before its links, in the same order as a delete does, so that two changes cannot deadlock. */
export const lockConfirmation = (tx: Transaction, confirmation_id: string) =>
  tx.run(sql`select 1 from email_forward_confirmations where id = ${confirmation_id} for update`);

/** False if another request used the link first. */
export async function confirmByLink(
  tx: Transaction,
  token_hash: string,
  confirmation_id: string,
  now: Date,
): Promise<boolean> {
  const used = await tx.run(sql`
    delete from email_forward_tokens where token_hash = ${token_hash} and kind = 'confirm'`);
  if (used === 0) return false;
  await tx.run(sql`
    update email_forward_confirmations set confirmed_at = ${now}, refused_at = null where id = ${confirmation_id}`);
  return true;
}

export async function refuse(tx: Transaction, confirmation_id: string, now: Date): Promise<void> {
  await tx.run(sql`
    delete from email_forward_tokens where confirmation_id = ${confirmation_id} and kind = 'confirm'`);
  await tx.run(sql`
    update email_forward_confirmations set confirmed_at = null, refused_at = coalesce(refused_at, ${now})
     where id = ${confirmation_id}`);
}

/** Deletes old refusals of addresses that no domain forwards to any more. */
export const deleteOldRefusals = (on: Queryable, before: Date) =>
  on.run(sql`
    delete from email_forward_confirmations c
     where refused_at < ${before}
       and not exists (select from email_domains d where d.id = c.email_domain_id and c.address = any(d.forward_to))`);
