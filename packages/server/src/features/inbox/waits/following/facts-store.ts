// The SQL that checks whether what a wait waits for has happened: replies, outcomes, and the records that its condition names.
import type { WaitOutcome } from '@parley/contract/inbox/waits';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { firstIdAt, momentOf } from '../../../../platform/ids.ts';

export type NamedRecord = { conversation_id: string; direction: 'inbound' | 'outbound' };
export type Outcome = { outcome: WaitOutcome; at: string };

const record_tables = { email: 'emails', sms: 'sms_messages', call: 'calls' } as const;

export const factsStore = (db: Database) => ({
  firstReply: (organization_id: string, conversation_id: string, of: ReplyFilter) =>
    firstReply(db, organization_id, conversation_id, of),

  /** A final status of the email counts, because it can bounce after a server accepted it; otherwise its first event. */
  emailOutcome: (organization_id: string, id: string) =>
    db.maybe<Outcome>(sql`
      select outcome, iso(at) as at from (
        select status as outcome, coalesce(failed_at, last_event_at, requested_at) as at, 1 as priority from emails
         where organization_id = ${organization_id} and id = ${id}
           and status in ('failed', 'bounced', 'complained', 'canceled')
        union all
        select kind, occurred_at, 2 from email_events
         where organization_id = ${organization_id} and email_id = ${id} and kind in ('delivered', 'bounced', 'complained')) found
       order by priority, at, outcome limit 1`),

  smsOutcome: (organization_id: string, id: string) =>
    db.maybe<Outcome>(sql`
      select status as outcome, iso(coalesce(delivered_at, failed_at, sent_at, requested_at)) as at from sms_messages
       where organization_id = ${organization_id} and id = ${id}
         and status in ('delivered', 'undelivered', 'failed', 'canceled')`),

  callState: (organization_id: string, id: string) =>
    db.maybe<{ answered_at: string | null; ended_at: string | null }>(sql`
      select iso(answered_at) as answered_at, iso(ended_at) as ended_at from calls
       where organization_id = ${organization_id} and id = ${id}`),

  /** A call for which no result was requested is settled when it ends. */
  callResult: (organization_id: string, id: string) =>
    db.maybe<{ at: string }>(sql`
      select iso(coalesce(result_settled_at, ended_at)) as at from calls
       where organization_id = ${organization_id} and id = ${id} and ended_at is not null
         and coalesce(result_status, 'none') <> 'pending'`),

  /** The first one since a time, because a conversation can be finished several times. */
  conversationResult: (organization_id: string, id: string, since: string) =>
    db.maybe<{ at: string }>(sql`
      select iso(r.settled_at) as at from conversation_results r
       where r.organization_id = ${organization_id} and r.settled_at >= ${since}
         and (r.conversation_id = ${id} or r.conversation_id in (
                select alias_id from conversation_aliases
                 where organization_id = ${organization_id} and conversation_id = ${id}))
       order by r.settled_at limit 1`),

  approvalDecision: (organization_id: string, id: string) =>
    db.maybe<{ at: string }>(sql`
      select iso(coalesce(decided_at, expires_at)) as at from approvals
       where organization_id = ${organization_id} and id = ${id} and status <> 'pending'`),

  record: (organization_id: string, noun: keyof typeof record_tables, id: string) =>
    db.maybe<NamedRecord>(sql`
      select conversation_id, direction from ${sql.raw(record_tables[noun])}
       where organization_id = ${organization_id} and id = ${id}`),

  async hasApproval(organization_id: string, id: string): Promise<boolean> {
    return (
      (await db.maybe(
        sql`select id from approvals where organization_id = ${organization_id} and id = ${id}`,
      )) !== null
    );
  },

  /** Conversations are stored a moment after their first message or call; until then only that record has the id. */
  async hasThread(organization_id: string, id: string): Promise<boolean> {
    const row = await db.maybe<{ exists: boolean }>(sql`
      select exists (select from emails where organization_id = ${organization_id} and conversation_id = ${id})
          or exists (select from sms_messages where organization_id = ${organization_id} and conversation_id = ${id})
          or exists (select from calls where organization_id = ${organization_id} and id = ${id}
                        and conversation_id = ${id}) as exists`);
    return row!.exists;
  },
});
export type FactsStore = ReturnType<typeof factsStore>;

type ReplyFilter = { since: Date; channel: string | null; thread_ids: readonly string[] | null };

type Reply = { id: string; noun: 'email' | 'sms' | 'call'; released_at: string | null };

/** The first reply of a person in a conversation. Automatic replies do not count; a quarantined email counts from its release. */
async function firstReply(db: Database, organization_id: string, conversation_id: string, of: ReplyFilter) {
  const first_id = firstIdAt(of.since);
  const where = sql`
    i.organization_id = ${organization_id} and i.conversation_id = ${conversation_id} and i.direction = 'inbound'
    and not i.is_automatic
    ${of.channel === null ? sql.empty : sql`and i.noun = ${of.channel}`}
    ${of.thread_ids === null ? sql.empty : sql`and i.thread_id = any(${of.thread_ids}::uuid[])`}`;
  const replies = await db.rows<Reply>(sql`
    (select i.id, i.noun, null as released_at from conversation_items i where ${where} and i.id >= ${first_id}
      order by i.id limit 1)
    union all
    (select i.id, i.noun, iso(e.released_at) from emails e
       join conversation_items i on i.organization_id = e.organization_id and i.id = e.id
      where e.organization_id = ${organization_id} and e.direction = 'inbound' and e.released_at >= ${of.since}
        and e.id < ${first_id} and ${where}
      order by e.released_at limit 1)`);
  const timeOf = ({ id, released_at }: Reply) => released_at ?? momentOf(id).toISOString();
  return replies.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))[0] ?? null;
}
