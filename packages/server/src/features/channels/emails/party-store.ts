// Who takes part in a thread of emails, in code and in SQL.
import { addressKey } from '@parley/contract/schema/mailbox';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { provenSender } from '../../access/sender-proof/index.ts';

/** Equal for all addresses of one mailbox: what follows a plus sign is chosen by its owner (RFC 5233). */
export const mailboxKey = (address: string): string =>
  addressKey(address).replace(/^([^+@]+)\+[^@]*@/, '$1@');

const keyOf = (address: Sql) => sql`regexp_replace(lower(${address}), '^([^+@]+)\\+[^@]*@', '\\1@')`;

const isAmong = (key: Sql, addresses: Sql) =>
  sql`exists (select from unnest(${addresses}) address where ${keyOf(sql`address`)} = ${key})`;

/** Whether the mailbox sent or got email `email`. */
export const couldSee = (key: Sql, email: Sql): Sql => sql`
  (${keyOf(sql`${email}.from_address`)} = ${key}
   or ${isAmong(key, sql`${email}.to_addresses || ${email}.cc_addresses || ${email}.bcc_addresses`)})`;

/** Of a longer thread, its newest emails say who takes part. */
const max_emails = 2000;

/**
 * Whether a mailbox takes part in the thread of `email`: it wrote there, or got an email of the organization or of a proven
 * sender. Recipients that a sender names who is not proven do not count, or a forger would name himself. Nor do the senders of
 * automatic replies, which may be of anybody: see `automaticReply`. A thread that a program began is its own.
 */
export const isParty = (key: Sql, email: Sql): Sql => sql`
  exists (
    select from (select p.* from emails p
                  where p.organization_id = ${email}.organization_id and p.conversation_id = ${email}.conversation_id
                  order by p.id desc limit ${max_emails}) p
     where (${keyOf(sql`p.from_address`)} = ${key}
            and (p.direction = 'outbound' or not coalesce(p.is_automatic, false)
                 or p.id = (select f.id from emails f
                             where f.organization_id = p.organization_id and f.conversation_id = p.conversation_id
                             order by f.id limit 1)))
        or ((p.direction = 'outbound' or ${provenSender(sql`p`)})
            and ${isAmong(key, sql`p.to_addresses || p.cc_addresses || p.bcc_addresses`)}))`;

/**
 * Whether an automatic message of a stranger belongs to `email`, because of the Message-ID that it names: bounces come from any
 * server, out-of-office replies also from another address of the recipient's domain. `domain` is null for other messages, and
 * empty for those of a mail server.
 */
export const automaticReply = (domain: Sql, email: Sql): Sql => sql`
  (${domain} is not null and ${email}.direction = 'outbound'
   and (${domain} = '' or exists (
          select from unnest(${email}.to_addresses || ${email}.cc_addresses || ${email}.bcc_addresses) address
           where right(lower(address), length(${domain}) + 1) = '@' || ${domain})))`;
