// The SQL that tells whether a person got an answer of an agent before.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Received } from '../channels/channel.ts';

/** For the disclosure and for `approve_first`: after this time a reply is the first one again. */
export const kept_days = 30;
const day_ms = 86_400_000;

type Sent = { in_thread: boolean; to_person: boolean };

export const sentReplyStore = (db: Database, clock: Clock) => ({
  /**
   * Whether an answer was sent, in the thread or to the person on this channel, within `kept_days`. Answers that wait, or that
   * were not approved, do not count: the person has not read them.
   */
  async sentTo({ organization_id, channel, thread_id, person }: Received): Promise<Sent> {
    const sent =
      channel === 'sms'
        ? sql`select 1 from sms_messages m where m.status in ('queued', 'sent', 'delivered')`
        : sql`select 1 from emails m where m.status in ('queued', 'sent', 'complained')`;
    const row = await db.maybe<Sent>(sql`
      select coalesce(bool_or(r.thread_id = ${thread_id}), false) as in_thread,
             coalesce(bool_or(r.person = ${person}), false) as to_person
        from agent_replies r
       where r.organization_id = ${organization_id} and r.channel = ${channel}
         and (r.thread_id = ${thread_id} or r.person = ${person})
         and r.written_at > ${new Date(clock.ms() - kept_days * day_ms)}
         and exists (${sent} and m.organization_id = r.organization_id and m.id = r.reply_id and m.hold is null)`);
    return row!;
  },
});
