// The SQL of mail that comes in. Messages of several organizations come together; each row names its own.
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { jsonRows } from '../../../platform/db/json-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { EmailRow } from '../store.ts';
import { conversation_days } from '../threads.ts';

/** How a message arrived; what forwarding it needs beyond its bytes. */
export type Arrival = {
  mail_from: string;
  recipients: string[];
  remote_address: string | null;
  helo: string | null;
  arc: 'none' | 'pass' | 'fail';
  authentication_results: string | null;
};

export type InboundRow = EmailRow & { dedupe_key: string; arrival: Arrival; raw_bytes: number };

export type ForwardAdmission = {
  organization_id: string;
  email_id: string;
  email_domain_id: string;
  limit_per_hour: number;
  now: Date;
};

export type ForwardKey = { email_id: string; email_domain_id: string };

/** The first, and one more in case it never left: at most one copy too many. */
const max_unknown_handovers = 2;

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
  /** An earlier attempt was admitted, and counted. */
  was_admitted: boolean;
};

export function inboundStore(db: Database) {
  return {
    /** The conversation each message belongs to, where there is one: by what it answers, else by subject and people. */
    async conversations(on: Queryable, rows: InboundRow[], now_ms: number): Promise<(string | null)[]> {
      const since = new Date(now_ms - conversation_days * 86_400_000).toISOString();
      const asked = rows.map(({ organization_id, thread_key, in_reply_to, references_ids }, at) => ({
        at,
        organization_id,
        thread_key,
        since,
        // The nearest ancestor first.
        ids: [...(in_reply_to ? [in_reply_to] : []), ...references_ids.toReversed()],
      }));
      const found = await on.rows<{ at: number; conversation_id: string }>(sql`
        select a.at, coalesce(r.conversation_id, t.conversation_id) as conversation_id
          from json_to_recordset(${JSON.stringify(asked)})
                 a(at int, organization_id uuid, thread_key text, since timestamptz, ids json)
          left join lateral (
            select e.conversation_id from json_array_elements_text(a.ids) with ordinality m(id, place)
              join emails e on e.organization_id = a.organization_id and e.message_id = m.id
             order by m.place limit 1) r on true
          left join lateral (
            select e.conversation_id from emails e
             where r.conversation_id is null and e.organization_id = a.organization_id
               and e.thread_key = a.thread_key and e.requested_at > a.since
             order by e.requested_at desc limit 1) t on true
         where coalesce(r.conversation_id, t.conversation_id) is not null`);
      const conversations = new Map(found.map((row) => [row.at, row.conversation_id]));
      return rows.map((_, at) => conversations.get(at) ?? null);
    },

    /** Stores the messages that are new, and tells which those are. */
    async insert(on: Queryable, rows: InboundRow[]): Promise<Set<string>> {
      const stored = await on.rows<{ id: string }>(sql`
        insert into emails select * from json_populate_recordset(null::emails, ${jsonRows(rows)})
        on conflict (organization_id, dedupe_key) where dedupe_key is not null do nothing returning id`);
      return new Set(stored.map((row) => row.id));
    },

    /** The email that an earlier delivery of the same message became. */
    known: (on: Queryable, organization_id: string, dedupe_key: string) =>
      on.maybe<{ id: string }>(sql`
        select id from emails where organization_id = ${organization_id} and dedupe_key = ${dedupe_key}`),

    /** One message passed on by one domain, once, and only so many an hour. */
    async admitForward(on: Queryable, given: ForwardAdmission): Promise<'admitted' | 'known' | 'over_limit'> {
      const { organization_id, email_id, email_domain_id, now } = given;
      // Whoever counts the same domain waits, or both would take the last place.
      await on.rows(sql`select pg_advisory_xact_lock(hashtextextended(${email_domain_id}, 8))`);
      const { count, is_known } = (await on.maybe<{ count: number; is_known: boolean }>(sql`
        select (select count(*) from email_forwards
                 where email_domain_id = ${email_domain_id} and forwarded_at > ${new Date(now.getTime() - 3_600_000)}) as count,
               exists (select from email_forwards
                        where email_id = ${email_id} and email_domain_id = ${email_domain_id}) as is_known`))!;
      if (is_known) return 'known';
      if (count >= given.limit_per_hour) return 'over_limit';
      await on.run(sql`
        insert into email_forwards (email_id, email_domain_id, organization_id, forwarded_at)
        values (${email_id}, ${email_domain_id}, ${organization_id}, ${now})`);
      return 'admitted';
    },

    /**
     * Written down before the message leaves: a handover whose outcome nobody learned may have succeeded, so after two
     * of them there is no third.
     */
    async beginHandover(
      organization_id: string,
      of: ForwardKey & { admission: string },
    ): Promise<'go' | 'settled' | 'given_up'> {
      const mine = sql`organization_id = ${organization_id} and email_id = ${of.email_id}
         and email_domain_id = ${of.email_domain_id}`;
      const row = await db.maybe<{ goes: boolean; is_settled: boolean }>(sql`
        with begun as (update email_forwards set handovers = handovers + 1, admission = ${of.admission}
                        where ${mine} and settled_at is null and handovers < ${max_unknown_handovers} returning 1)
        select exists (select from begun) as goes, settled_at is not null as is_settled
          from email_forwards where ${mine}`);
      if (!row || row.is_settled) return 'settled';
      return row.goes ? 'go' : 'given_up';
    },

    /** The outcome is known: final, or nothing was taken and the message may be handed over as if for the first time. */
    endHandover: (
      on: Queryable,
      organization_id: string,
      { email_id, email_domain_id, admission = null }: ForwardKey & { admission?: string | null },
      settled_at: Date | null,
    ) =>
      on.run(sql`
        update email_forwards set handovers = 0, settled_at = ${settled_at}, admission = coalesce(${admission}, admission)
         where organization_id = ${organization_id} and email_id = ${email_id}
           and email_domain_id = ${email_domain_id}`),

    /** What passing a message on needs; null when the email is gone, or was passed on. */
    forwarded: (organization_id: string, { email_id, email_domain_id }: ForwardKey) =>
      db.maybe<ForwardedEmail>(sql`
        select e.id, e.organization_id, from_address, from_name, subject, message_id, body_text, body_html, raw_key, arrival,
               f.forwarded_at, f.admission is not null as was_admitted
          from emails e
          join email_forwards f on f.email_id = e.id and f.email_domain_id = ${email_domain_id}
         where e.organization_id = ${organization_id} and e.id = ${email_id} and raw_key is not null and f.settled_at is null`),

    /** Counted against the cap: a further attempt of the same forward is not. */
    markAdmitted: (on: Queryable, organization_id: string, of: ForwardKey & { admission: string }) =>
      on.run(sql`
        update email_forwards set admission = ${of.admission}
         where organization_id = ${organization_id} and email_id = ${of.email_id}
           and email_domain_id = ${of.email_domain_id}`),

    /** For bounces of what was passed on, which name the email only. */
    locate: (id: string) =>
      db.maybe<{ organization_id: string; id: string }>(
        sql`select organization_id, id from emails where id = ${id} and direction = 'inbound'`,
      ),
  };
}
export type InboundStore = ReturnType<typeof inboundStore>;
