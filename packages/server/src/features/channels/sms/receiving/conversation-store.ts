// The SQL of conversations: earlier texts, automatic replies, and the organization that a reply to the shared sender belongs to.
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Database, Queryable } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import { firstIdAt } from '../../../../platform/ids.ts';

export const conversationStore = (db: Database) => ({
  /**
   * The organization that receives a text from this phone to the shared sender: the one whose text to the phone the carrier
   * accepted last. If the carrier accepted none, a queued or undelivered text decides. A failed text is ignored.
   */
  organizationOfReply: (on: Queryable, shared_sender: string, phone: string) => {
    const last = (statuses: Sql) => sql`
      select organization_id from sms_messages
       where is_shared_sender and "to" = ${phone} and "from" = ${shared_sender} and hold is null and status in (${statuses})
       order by id desc limit 1`;
    return on.maybe<{ organization_id: string }>(sql`
      select organization_id from (
        select 1 as choice, * from (${last(sql`'sent', 'delivered'`)}) taken
        union all select 2, * from (${last(sql`'queued', 'undelivered'`)}) others) found
       order by choice limit 1`);
  },

  /** The last texts of a conversation up to one of them, oldest first, without those that the person did not get. */
  async history(organization_id: string, conversation_id: string, up_to_id: string, limit: number) {
    const rows = await db.rows<Pick<Sms, 'direction' | 'body'>>(sql`
      select direction, body from sms_messages
       where organization_id = ${organization_id} and conversation_id = ${conversation_id} and id <= ${up_to_id}
             and hold is null and status not in ('canceled', 'failed', 'undelivered')
       order by id desc limit ${limit}`);
    return rows.reverse();
  },

  /** How many automatic texts (agent replies, keyword answers) a conversation has since a time. */
  async automaticSince(
    organization_id: string,
    conversation_id: string,
    since: Date,
    on: Queryable = db,
  ): Promise<number> {
    const row = await on.maybe<{ count: number }>(sql`
      select count(*)::int as count from sms_messages
       where organization_id = ${organization_id} and conversation_id = ${conversation_id}
         and origin in ('agent', 'keyword') and id >= ${firstIdAt(since)}`);
    return row!.count;
  },

  /** How many texts with exactly this body were received in a conversation since a time. */
  async receivedWithBody(
    organization_id: string,
    of: { conversation_id: string; body: string; since: Date },
  ): Promise<number> {
    const row = await db.maybe<{ count: number }>(sql`
      select count(*)::int as count from sms_messages
       where organization_id = ${organization_id} and conversation_id = ${of.conversation_id}
         and direction = 'inbound' and id >= ${firstIdAt(of.since)} and body = ${of.body}`);
    return row!.count;
  },

  /** How often opt-out keywords of this conversation were answered with this text since a time. */
  async keywordAnswers(
    on: Queryable,
    organization_id: string,
    of: { conversation_id: string; bodies: string[]; since: Date },
  ): Promise<number> {
    const row = await on.maybe<{ count: number }>(sql`
      select count(*)::int as count from sms_messages
       where organization_id = ${organization_id} and conversation_id = ${of.conversation_id}
         and origin = 'keyword' and id >= ${firstIdAt(of.since)} and body = any(${of.bodies}::text[])`);
    return row!.count;
  },
});
export type ConversationStore = ReturnType<typeof conversationStore>;
