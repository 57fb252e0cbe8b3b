// The SQL that computes the counters of conversations again.
import type { ConversationChannel, LastItem } from '@parley/contract/inbox/conversations';
import type { Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';

export type Counted = {
  id: string;
  item_count: number;
  unread_count: number;
  channels: ConversationChannel[];
  last_outbound_id: string | null;
  last_id: string | null;
  last_noun: ConversationChannel | null;
};

/** Of conversation `c`. A job may still be moving the items of a merged conversation. */
const items = (columns: Sql, condition: Sql = sql`true`) => sql`
  select ${columns} from conversation_items i
   where i.organization_id = c.organization_id and ${condition}
     and i.conversation_id = any(array(
       select a.alias_id from conversation_aliases a
        where a.organization_id = c.organization_id and a.conversation_id = c.id and a.was_conversation) || c.id)`;

const isUnread = sql`i.direction = 'inbound' and not i.is_automatic and (c.read_up_to is null or i.id > c.read_up_to)`;

/** In the order of their first items. Records reach a conversation in any order: a rebuild begins with the newest ones. */
const channels = sql`
  array(select n.noun from unnest(array['email', 'sms', 'call']) n(noun),
               lateral (${items(sql`i.id`, sql`i.noun = n.noun`)} order by i.id limit 1) f order by f.id)`;

export async function orderChannels(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(sql`
    update conversations c set channels = ${channels}
     where c.organization_id = ${organization_id} and c.id = any(${ids}::uuid[])`);
}

/** The conversations stay locked until the transaction ends. */
export const countItems = (tx: Transaction, organization_id: string, ids: readonly string[]) =>
  tx.rows<Counted>(sql`
    select c.id, counted.*, last.id as last_id, last.noun as last_noun,
           (${items(sql`i.id`, sql`i.direction = 'outbound'`)} order by i.id desc limit 1) as last_outbound_id,
           ${channels} as channels
      from (select * from conversations
             where organization_id = ${organization_id} and id = any(${ids}::uuid[]) order by id for update) c
     cross join lateral (
       ${items(sql`count(*)::int as item_count, (count(*) filter (where ${isUnread}))::int as unread_count`)}) counted
      left join lateral (${items(sql`i.id, i.noun`)} order by i.id desc limit 1) last on true`);

/** A conversation without items keeps its place in the list for the time when it gets one again. */
export const saveCounts = (
  tx: Transaction,
  organization_id: string,
  counts: readonly (Counted & { last_item: LastItem | null })[],
) =>
  tx.run(sql`
    update conversations c
       set item_count = n.item_count, unread_count = n.unread_count, channels = n.channels,
           last_outbound_id = n.last_outbound_id, last_item_id = coalesce(n.last_id, c.last_item_id),
           last_item = coalesce(n.last_item, 'null')
      from json_to_recordset(${JSON.stringify(counts)})
           as n(id uuid, item_count int, unread_count int, channels text[], last_outbound_id uuid, last_id uuid, last_item json)
     where c.organization_id = ${organization_id} and c.id = n.id`);
