// The SQL that connects threads and conversations, for search and for filters of lists.
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

/** Of a conversation with more items, only the threads of the newest ones are searched. */
const max_items = 5000;

export const threadStore = (db: Database) => ({
  /** The threads of a conversation, whose id may be a former one. An id that is no conversation is a thread. */
  async threadsOf(organization_id: string, id: string): Promise<string[]> {
    const rows = await db.rows<{ thread_id: string }>(sql`
      select distinct thread_id from (
        select i.thread_id from conversation_items i
         where i.organization_id = ${organization_id}
           and i.conversation_id = coalesce((select a.conversation_id from conversation_aliases a
                                              where a.organization_id = ${organization_id} and a.alias_id = ${id}), ${id}::uuid)
         order by i.id desc limit ${max_items}) newest`);
    return rows.length > 0 ? rows.map(({ thread_id }) => thread_id) : [id];
  },

  /** The conversation of each thread that has one. */
  async conversationsOf(
    organization_id: string,
    thread_ids: readonly string[],
  ): Promise<Map<string, string>> {
    const rows = await db.rows<{ thread_id: string; conversation_id: string }>(sql`
      select t.thread_id, coalesce(a.conversation_id, t.conversation_id) as conversation_id
        from conversation_threads t
        left join conversation_aliases a on a.organization_id = t.organization_id and a.alias_id = t.conversation_id
       where t.organization_id = ${organization_id} and t.thread_id = any(${thread_ids}::uuid[])`);
    return new Map(rows.map(({ thread_id, conversation_id }) => [thread_id, conversation_id]));
  },
});
