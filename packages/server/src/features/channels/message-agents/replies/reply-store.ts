// The SQL of what agents answered: limits count it, and a message is answered once.

import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Received } from '../channels/channel.ts';
import { pauseStore } from '../hand-over/pause-store.ts';
import { kept_days, sentReplyStore } from './sent-reply-store.ts';

export type AgentReply = {
  reply_id: string;
  agent_id: string;
  body_hash: string;
};

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;

type Counts = { thread: number; thread_hour: number; person: number };

export const replyStore = (db: Database, clock: Clock) => ({
  isAnswered: async ({ organization_id, id }: Received): Promise<boolean> =>
    (await db.maybe(sql`
      select message_id from agent_replies where organization_id = ${organization_id} and message_id = ${id}`)) !==
    null,

  /** Within a day: answers in the thread (and within an hour), and to the person. */
  async countToday({ organization_id, thread_id, person }: Received): Promise<Counts> {
    const day = new Date(clock.ms() - day_ms);
    const hour = new Date(clock.ms() - hour_ms);
    const row = await db.maybe<Counts>(sql`
      select count(*) filter (where thread_id = ${thread_id})::int as thread,
             count(*) filter (where thread_id = ${thread_id} and written_at > ${hour})::int as thread_hour,
             count(*) filter (where person = ${person})::int as person
        from agent_replies
       where organization_id = ${organization_id} and written_at > ${day}
         and (thread_id = ${thread_id} or person = ${person})`);
    return row!;
  },

  async countOfAgent(organization_id: string, agent_id: string): Promise<number> {
    const row = await db.maybe<{ count: number }>(sql`
      select count(*)::int as count from agent_replies
       where organization_id = ${organization_id} and agent_id = ${agent_id}
         and written_at > ${new Date(clock.ms() - hour_ms)}`);
    return row!.count;
  },

  /** The last answer in the thread within `kept_days`. */
  last: ({ organization_id, thread_id }: Received) =>
    db.maybe<{ body_hash: string }>(sql`
      select body_hash from agent_replies
       where organization_id = ${organization_id} and thread_id = ${thread_id}
         and written_at > ${new Date(clock.ms() - kept_days * day_ms)}
       order by written_at desc limit 1`),

  /** False when the message is answered already. */
  add: async (
    tx: Transaction,
    received: Received,
    { reply_id, agent_id, body_hash }: AgentReply,
  ): Promise<boolean> =>
    (await tx.run(sql`
      insert into agent_replies (organization_id, message_id, reply_id, agent_id, channel, thread_id, person, body_hash, written_at)
      values (${received.organization_id}, ${received.id}, ${reply_id}, ${agent_id}, ${received.channel},
              ${received.thread_id}, ${received.person}, ${body_hash}, ${clock.now()})
      on conflict do nothing`)) > 0,

  /** Whether somebody else than an agent wrote in the thread after the message. */
  async wasAnsweredByHand(
    on: Queryable,
    { organization_id, channel, thread_id, id }: Received,
  ): Promise<boolean> {
    const outbound =
      channel === 'sms'
        ? sql`select id from sms_messages where origin = 'api' and direction = 'outbound' and not (metadata::jsonb ? 'agent_id')`
        : sql`select id from emails where direction = 'outbound' and not (metadata::jsonb ? 'agent_id')`;
    return (
      (await on.maybe(sql`
        ${outbound} and organization_id = ${organization_id} and conversation_id = ${thread_id} and id > ${id}
        limit 1`)) !== null
    );
  },

  async deleteOld(): Promise<void> {
    await db.run(
      sql`delete from agent_replies where written_at < ${new Date(clock.ms() - (kept_days + 1) * day_ms)}`,
    );
  },

  ...pauseStore(clock),
  ...sentReplyStore(db, clock),
});
export type ReplyStore = ReturnType<typeof replyStore>;
