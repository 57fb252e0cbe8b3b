// The SQL of forwards: one row of email_forwards per received email and domain.
import type { Queryable } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import type { EmailRow } from '../../store.ts';
import type { Arrival } from '../store.ts';

export type ForwardKey = { organization_id: string; email_id: string; email_domain_id: string };

export type ForwardedEmail = Pick<
  EmailRow,
  | 'id'
  | 'organization_id'
  | 'from_address'
  | 'from_name'
  | 'subject'
  | 'message_id'
  | 'body_text'
  | 'body_html'
> & {
  raw_key: string;
  arrival: Arrival;
  forwarded_at: Date;
  /** An earlier attempt was admitted and counted. */
  was_admitted: boolean;
};

const isForward = ({ organization_id, email_id, email_domain_id }: ForwardKey) =>
  sql`organization_id = ${organization_id} and email_id = ${email_id} and email_domain_id = ${email_domain_id}`;

/** Reserves one forward of a message by a domain: only once, and at most `limit_per_hour` per domain. */
export async function reserveForward(
  on: Queryable,
  key: ForwardKey,
  { limit_per_hour, now }: { limit_per_hour: number; now: Date },
): Promise<'reserved' | 'exists' | 'over_limit'> {
  const { organization_id, email_id, email_domain_id } = key;
  // Serializes the count per domain: otherwise two transactions could both use the last free slot.
  await on.rows(sql`select pg_advisory_xact_lock(hashtextextended(${email_domain_id}, 8))`);
  const { count, is_reserved } = (await on.maybe<{ count: number; is_reserved: boolean }>(sql`
    select (select count(*) from email_forwards
             where email_domain_id = ${email_domain_id} and forwarded_at > ${new Date(now.getTime() - 3_600_000)}) as count,
           exists (select from email_forwards
                    where email_id = ${email_id} and email_domain_id = ${email_domain_id}) as is_reserved`))!;
  if (is_reserved) return 'exists';
  if (count >= limit_per_hour) return 'over_limit';
  await on.run(sql`
    insert into email_forwards (email_id, email_domain_id, organization_id, forwarded_at)
    values (${email_id}, ${email_domain_id}, ${organization_id}, ${now})`);
  return 'reserved';
}

/** Null if the email was deleted or the forward is settled. */
export const pendingForward = (
  on: Queryable,
  { organization_id, email_id, email_domain_id }: ForwardKey,
): Promise<ForwardedEmail | null> =>
  on.maybe<ForwardedEmail>(sql`
    select e.id, e.organization_id, from_address, from_name, subject, message_id, body_text, body_html, raw_key, arrival,
           f.forwarded_at, f.admission is not null as was_admitted
      from emails e
      join email_forwards f on f.email_id = e.id and f.email_domain_id = ${email_domain_id}
     where e.organization_id = ${organization_id} and e.id = ${email_id} and raw_key is not null and f.settled_at is null
       and e.quarantine is null`);

/** Marks the forward as counted against the caps, so that a further attempt is not counted again. */
export const markAdmitted = (on: Queryable, key: ForwardKey, admission: string) =>
  on.run(sql`update email_forwards set admission = ${admission} where ${isForward(key)}`);

/** After a crash the first hand-over may have succeeded. One more attempt is made, so at most one extra copy is sent. */
const max_unknown_hand_overs = 2;

/**
 * Counts the hand-over before the message is sent. If the process crashes during it, the outcome stays unknown; after
 * `max_unknown_hand_overs` of them the forward is given up.
 */
export async function beginHandOver(
  on: Queryable,
  key: ForwardKey,
  admission: string,
): Promise<'send' | 'settled' | 'given_up'> {
  const row = await on.maybe<{ may_send: boolean; is_settled: boolean }>(sql`
    with begun as (update email_forwards set handovers = handovers + 1, admission = ${admission}
                    where ${isForward(key)} and settled_at is null and handovers < ${max_unknown_hand_overs} returning 1)
    select exists (select from begun) as may_send, settled_at is not null as is_settled
      from email_forwards where ${isForward(key)}`);
  if (!row || row.is_settled) return 'settled';
  return row.may_send ? 'send' : 'given_up';
}

/** The outcome is known: with `settled_at` it is final, with null nothing was sent and the forward can be tried again. */
export const endHandOver = (
  on: Queryable,
  key: ForwardKey,
  settled_at: Date | null,
  admission: string | null = null,
) =>
  on.run(sql`
    update email_forwards set handovers = 0, settled_at = ${settled_at}, admission = coalesce(${admission}, admission)
     where ${isForward(key)}`);

/** The organization of a received email. A bounce to a return path contains the email id only. */
export const findReceivedEmail = (on: Queryable, id: string) =>
  on.maybe<{ organization_id: string; id: string }>(
    sql`select organization_id, id from emails where id = ${id} and direction = 'inbound'`,
  );
