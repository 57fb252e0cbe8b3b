// The SQL of what is known about a conversation: whether it exists, and who wrote in it.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { provenSender } from '../sender-proof/index.ts';

export const threadStore = (db: Database) => ({
  threadsOf: (organization_id: string, id: string) => threadsOf(db, organization_id, id),

  /** A call without a named conversation is one of its own, with the id of the call. */
  async exists(organization_id: string, conversation_id: string): Promise<boolean> {
    const row = await db.maybe<{ exists: boolean }>(sql`
      select exists (select from emails where organization_id = ${organization_id} and conversation_id = ${conversation_id})
          or exists (select from sms_messages
                      where organization_id = ${organization_id} and conversation_id = ${conversation_id})
          or exists (select from calls where organization_id = ${organization_id} and id = ${conversation_id}
                        and conversation_id = ${conversation_id}) as exists`);
    return row!.exists;
  },

  /**
   * The people who wrote in the conversation themselves, not those whom somebody else named. An email whose sender is not
   * proven may be of anybody, so it does not count; nor does an automatic reply, which nobody wrote.
   */
  async writers(organization_id: string, thread_ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await db.rows<{ party: string }>(sql`
      select distinct from_address as party from emails
       where organization_id = ${organization_id} and conversation_id = any(${thread_ids}::uuid[]) and direction = 'inbound'
             and ${provenSender()} and quarantine is null
             and not (coalesce(is_automatic, false) and (in_reply_to is not null or cardinality(references_ids) > 0))
      union
      select distinct "from" from sms_messages
       where organization_id = ${organization_id} and conversation_id = any(${thread_ids}::uuid[]) and direction = 'inbound'
             and blocked_by is null`);
    return new Set(rows.map(({ party }) => (party.startsWith('+') ? party : addressKey(party))));
  },
});
export type ThreadStore = ReturnType<typeof threadStore>;

/** Of a conversation with more items, only the threads of the newest ones belong to its tokens. */
const max_items = 5000;

/**
 * The threads of a conversation, whose id may be a former one; empty when there is none. An item may be in another
 * conversation than its thread: a forged email has one of its own, which must not lead to the thread that it names.
 */
async function threadsOf(db: Database, organization_id: string, id: string): Promise<string[]> {
  const rows = await db.rows<{ thread_id: string }>(sql`
    with wanted as (
      select coalesce((select a.conversation_id from conversation_aliases a
                        where a.organization_id = ${organization_id} and a.alias_id = ${id}), ${id}::uuid) as id)
    select distinct i.thread_id from (
      select i.thread_id from conversation_items i, wanted
       where i.organization_id = ${organization_id} and i.conversation_id = wanted.id
       order by i.id desc limit ${max_items}) i
      cross join wanted
      join conversation_threads t on t.organization_id = ${organization_id} and t.thread_id = i.thread_id
      left join conversation_aliases a on a.organization_id = t.organization_id and a.alias_id = t.conversation_id
     where coalesce(a.conversation_id, t.conversation_id) = wanted.id`);
  return rows.map(({ thread_id }) => thread_id);
}
