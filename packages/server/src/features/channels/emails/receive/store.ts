// The SQL of received mail. One statement may contain messages of several organizations; each row has its own organization id.
import { emailLifecycle, type QuarantineReason } from '@parley/contract/channels/emails/email-records';
import type { Queryable } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { table } from '../../../../platform/db/table.ts';
import { automaticReply, isParty, mailboxKey } from '../party-store.ts';
import { type EmailRow, shared_email_columns } from '../store.ts';
import { conversation_days } from '../threads.ts';

/** How a message arrived: what a forward needs besides the message itself. */
export type Arrival = {
  mail_from: string;
  recipients: string[];
  remote_address: string | null;
  helo: string | null;
  arc: 'none' | 'pass' | 'fail';
  authentication_results: string | null;
};

/** Why a received email is kept apart, and what its release needs. */
export type Quarantine = {
  reason: QuarantineReason;
  rule_id: string | null;
  at: string;
  /** Domains that must not forward it, because that could cause a mail loop. */
  loop_domain_ids: string[];
};

export type InboundRow = EmailRow & {
  dedupe_key: string;
  arrival: Arrival;
  raw_bytes: number;
  quarantine: Quarantine | null;
};

/** The columns of a received email; columns that only sent emails use stay null. */
export const received_emails = table<'emails', InboundRow, typeof emailLifecycle>(
  'emails',
  {
    ...shared_email_columns,
    is_auto_reply: 'boolean',
    is_automatic: 'boolean',
    spam_verdict: 'text',
    virus_verdict: 'text',
    dkim_verdict: 'text',
    spf_verdict: 'text',
    dmarc_verdict: 'text',
    sender_proof: 'text',
    provider_received_at: 'timestamptz',
    raw_key: 'text',
    raw_bytes: 'bigint',
    dedupe_key: 'text',
    arrival: 'json',
    labels: 'text[]',
    quarantine: 'json',
  },
  { lifecycle: emailLifecycle },
);

const mail_server = /^(mailer-daemon|postmaster)@/i;
/** See `automaticReply`. */
const automaticDomain = ({ is_automatic, from_address }: InboundRow): string | null => {
  if (!is_automatic) return null;
  return mail_server.test(from_address)
    ? ''
    : from_address.slice(from_address.lastIndexOf('@') + 1).toLowerCase();
};

/**
 * The existing conversation of each message, or null: by the messages it refers to, else by subject and participants. Only if the
 * sender takes part in it: everybody who was once in copy knows its Message-IDs.
 */
export async function findConversations(
  on: Queryable,
  rows: InboundRow[],
  now_ms: number,
): Promise<(string | null)[]> {
  const since = new Date(now_ms - conversation_days * 86_400_000).toISOString();
  const queries = rows.map((row, at) => ({
    at,
    party: mailboxKey(row.from_address),
    automatic_domain: automaticDomain(row),
    organization_id: row.organization_id,
    thread_key: row.thread_key,
    since,
    // The closest ancestor first.
    ids: [...(row.in_reply_to ? [row.in_reply_to] : []), ...row.references_ids.toReversed()],
  }));
  const found = await on.rows<{ at: number; conversation_id: string }>(sql`
    select q.at, coalesce(r.conversation_id, t.conversation_id) as conversation_id
      from json_to_recordset(${JSON.stringify(queries)})
             q(at int, party text, automatic_domain text, organization_id uuid, thread_key text, since timestamptz, ids json)
      left join lateral (
        select e.conversation_id from json_array_elements_text(q.ids) with ordinality m(id, position)
          join emails e on e.organization_id = q.organization_id and e.message_id = m.id
         where ${isParty(sql`q.party`, sql`e`)} or ${automaticReply(sql`q.automatic_domain`, sql`e`)}
         order by m.position limit 1) r on true
      left join lateral (
        select e.conversation_id from emails e
         where r.conversation_id is null and e.organization_id = q.organization_id
           and e.thread_key = q.thread_key and e.requested_at > q.since and ${isParty(sql`q.party`, sql`e`)}
         order by e.requested_at desc limit 1) t on true
     where coalesce(r.conversation_id, t.conversation_id) is not null`);
  const conversations = new Map(found.map((row) => [row.at, row.conversation_id]));
  return rows.map((_, at) => conversations.get(at) ?? null);
}

/** The email of an earlier delivery of the same message. */
export const findDuplicate = (on: Queryable, { organization_id, dedupe_key }: InboundRow) =>
  on.maybe<{ id: string; is_quarantined: boolean }>(sql`
    select id, quarantine is not null as is_quarantined from emails
     where organization_id = ${organization_id} and dedupe_key = ${dedupe_key}`);

/** Whether one of these Message-IDs is that of an email that the organization sent. */
export const answersOwn =
  (db: Queryable) =>
  async (organization_id: string, message_ids: readonly (string | null)[]): Promise<boolean> =>
    (await db.maybe(sql`
      select id from emails
       where organization_id = ${organization_id} and direction = 'outbound'
         and message_id = any(${message_ids.filter((id) => id !== null)}::text[]) limit 1`)) !== null;
