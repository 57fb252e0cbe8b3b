// The SQL that changes conversations: what people set, the read mark, and merged items.
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import type { ConversationRow } from '../projection/conversation-row.ts';
import { conversation_columns } from '../projection/projection-store.ts';

export const changeStore = (db: Database) => ({
  lock: (tx: Transaction, organization_id: string, id: string) =>
    tx.maybe<ConversationRow>(sql`
      select ${conversation_columns} from conversations c
       where c.organization_id = ${organization_id} and c.id = ${id} for update`),

  async saveFields(tx: Transaction, organization_id: string, row: ConversationRow): Promise<void> {
    await tx.run(sql`
      update conversations set inbox_state = ${row.inbox_state}, inbox_state_set_at = ${row.inbox_state_set_at},
             snoozed_until = ${row.snoozed_until}, assignee_kind = ${row.assignee_kind},
             assignee_id = ${row.assignee_id}, agent_paused_until = ${row.agent_paused_until},
             is_with_human = ${row.is_with_human}, labels = ${row.labels}::text[],
             metadata = ${JSON.stringify(row.metadata)}, title = ${row.title}, updated_at = ${row.updated_at}
       where organization_id = ${organization_id} and id = ${row.id}`);
  },

  /** The mark only moves forward. */
  async markRead(organization_id: string, id: string, up_to: string | null): Promise<void> {
    await db.run(sql`
      with marked as (
        select c.organization_id, c.id, greatest(c.read_up_to, coalesce(${up_to}::uuid, c.last_item_id)) as mark
          from conversations c where c.organization_id = ${organization_id} and c.id = ${id} for update)
      update conversations c set read_up_to = m.mark,
             unread_count = case when m.mark >= c.last_item_id then 0 else (
               select count(*)::int from conversation_items i
                where i.organization_id = c.organization_id and i.conversation_id = c.id and i.id > m.mark
                  and i.direction = 'inbound' and not i.is_automatic) end
        from marked m where c.organization_id = m.organization_id and c.id = m.id`);
  },

  /** Moves the mark to the item before the last received one; without a received item nothing changes. */
  async markUnread(organization_id: string, id: string): Promise<void> {
    const newest = (condition: Sql) => sql`(
      select i.id from conversation_items i
       where i.organization_id = c.organization_id and i.conversation_id = c.id and ${condition}
       order by i.id desc limit 1)`;
    await db.run(sql`
      with last as (
        select c.organization_id, c.id, c.read_up_to,
               ${newest(sql`i.direction = 'inbound' and not i.is_automatic`)} as item_id
          from conversations c where c.organization_id = ${organization_id} and c.id = ${id} for update)
      update conversations c set unread_count = 1, read_up_to = ${newest(sql`i.id < last.item_id`)}
        from last
       where c.organization_id = last.organization_id and c.id = last.id and last.item_id <= last.read_up_to`);
  },

  snoozeEnded: (tx: Transaction, now: Date, limit: number) =>
    tx.rows<ConversationRow>(sql`
      select ${conversation_columns} from conversations c
       where c.inbox_state = 'snoozed' and c.snoozed_until <= ${now}
       order by c.snoozed_until limit ${limit} for update skip locked`),

  /** Moves items of a merged conversation. Returns how many; fewer than the limit means that it is done. */
  moveItems: (
    organization_id: string,
    { into, from, limit }: { into: string; from: string; limit: number },
  ) =>
    db.run(sql`
      update conversation_items set conversation_id = ${into}
       where organization_id = ${organization_id} and conversation_id = ${from}
         and id in (select id from conversation_items
                     where organization_id = ${organization_id} and conversation_id = ${from}
                     order by id desc limit ${limit})`),
});
export type ChangeStore = ReturnType<typeof changeStore>;
