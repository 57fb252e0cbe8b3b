// The SQL that reads conversations for the API.
import type {
  Conversation,
  ConversationChannel,
  ConversationStatus,
} from '@parley/contract/inbox/conversations';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { cursors, type PageRequest } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { agentState } from './agent-control/agent-state.ts';
import { assigneeOf } from './events.ts';
import type { ConversationRow } from './projection/conversation-row.ts';
import { conversation_columns } from './projection/projection-store.ts';
import { conversationResultColumns } from './result-store.ts';

export type ConversationQuery = PageRequest & {
  status?: ConversationStatus | undefined;
  assignee_id?: string | undefined;
  label?: string | undefined;
  contact_id?: string | undefined;
  channel?: ConversationChannel | undefined;
  unread?: 'true' | 'false' | undefined;
  waiting?: 'true' | 'false' | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

type ShownRow = ConversationRow & {
  participants: Conversation['participants'];
  participants_total: number;
  merged_ids: string[];
  result: Conversation['result'];
};

const list = cursors('conversations');

/** With the people of the conversation, external ones first. */
const shown_columns = sql`${conversation_columns},
  (select coalesce(json_agg(p), '[]') from (
     select p.role, p.channel, p.address, coalesce(k.name, p.name) as name, k.id as contact_id
       from conversation_participants p
       left join contacts k on k.organization_id = p.organization_id and (k.phone_e164 = p.party or k.email_key = p.party)
      where p.organization_id = c.organization_id and p.conversation_id = c.id
      order by array_position(array['external', 'copied', 'own'], p.role), p.first_item_id, p.party
      limit ${limits.conversation_participants}) p) as participants,
  (select count(*)::int from conversation_participants p
    where p.organization_id = c.organization_id and p.conversation_id = c.id) as participants_total,
  array(select a.alias_id from conversation_aliases a
         where a.organization_id = c.organization_id and a.conversation_id = c.id and a.was_conversation
         order by a.alias_id) as merged_ids,
  (select ${conversationResultColumns} from conversation_results
    where organization_id = c.organization_id
      and (conversation_id = c.id or conversation_id in (
             select a.alias_id from conversation_aliases a
              where a.organization_id = c.organization_id and a.conversation_id = c.id))
    order by id desc limit 1) as result`;

const presentConversation = (row: ShownRow, now: Date): Conversation => ({
  id: row.id,
  organization_id: row.organization_id,
  kind: row.kind,
  contact_id: row.contact_id,
  title: row.title ?? row.name,
  participants: row.participants,
  participants_total: row.participants_total,
  channels: row.channels,
  status: row.inbox_state,
  snoozed_until: row.snoozed_until,
  assignee: assigneeOf(row),
  agent_state: agentState(row, now),
  agent_paused_until: row.agent_paused_until,
  labels: row.labels,
  metadata: row.metadata,
  unread_count: row.unread_count,
  item_count: row.item_count,
  waiting_since: row.waiting_since,
  last_item: row.last_item,
  result: row.result,
  merged_ids: row.merged_ids,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

const flag = (value: 'true' | 'false' | undefined, holds: Sql) => {
  if (value === undefined) return sql.empty;
  return value === 'true' ? sql`and ${holds}` : sql`and not (${holds})`;
};

export const conversationStore = (db: Database, clock: Clock) => ({
  list: (organization_id: string, query: ConversationQuery) =>
    listConversations(db, clock, organization_id, query),

  /** The id may also be that of a thread, of a merged conversation, or of a person's second number or address. */
  async resolve(organization_id: string, id: string, on: Queryable = db): Promise<string | null> {
    const row = await on.maybe<{ id: string }>(sql`
      with named as (
        select ${id}::uuid as id, 1 as place
        union all
        select conversation_id, 2 from conversation_threads
         where organization_id = ${organization_id} and thread_id = ${id})
      select c.id from named n
        left join conversation_aliases a on a.organization_id = ${organization_id} and a.alias_id = n.id
        join conversations c on c.organization_id = ${organization_id} and c.id = coalesce(a.conversation_id, n.id)
       order by n.place limit 1`);
    return row?.id ?? null;
  },

  async find(organization_id: string, id: string): Promise<Conversation | null> {
    const row = await db.maybe<ShownRow>(sql`
      select ${shown_columns} from conversations c where c.organization_id = ${organization_id} and c.id = ${id}`);
    return row && presentConversation(row, clock.now());
  },

  hasItem: async (organization_id: string, conversation_id: string, id: string): Promise<boolean> =>
    (await db.maybe(sql`
      select id from conversation_items
       where organization_id = ${organization_id} and conversation_id = ${conversation_id} and id = ${id}`)) !==
    null,

  async assigneeExists(
    organization_id: string,
    { kind, id }: { kind: string; id: string },
  ): Promise<boolean> {
    const from =
      kind === 'agent'
        ? sql`agents where organization_id = ${organization_id} and id = ${id}`
        : sql`members where organization_id = ${organization_id} and id = ${id}`;
    return (await db.maybe(sql`select id from ${from}`)) !== null;
  },

  /** The newest received message that can be answered. */
  /** `thread_ids`: only in these threads; null for all. */
  lastReceived: (
    organization_id: string,
    conversation_id: string,
    { nouns, thread_ids }: { nouns: readonly string[]; thread_ids: readonly string[] | null },
  ) =>
    db.maybe<{ id: string; noun: 'email' | 'sms' }>(sql`
      select id, noun from conversation_items
       where organization_id = ${organization_id} and conversation_id = ${conversation_id}
         and direction = 'inbound' and noun = any(${nouns}::text[])
         ${thread_ids ? sql`and thread_id = any(${thread_ids}::uuid[])` : sql.empty}
       order by id desc limit 1`),

  /** Whether the organization can send texts from a number; it cannot name a number that several organizations share. */
  hasNumber: async (organization_id: string, e164: string): Promise<boolean> =>
    (await db.maybe(sql`
      select id from numbers
       where organization_id = ${organization_id} and e164 = ${e164} and provisioning_state = 'active'`)) !==
    null,
});
export type ConversationStore = ReturnType<typeof conversationStore>;

const firstId = (text: string) => firstIdAt(new Date(text));

async function listConversations(
  db: Database,
  clock: Clock,
  organization_id: string,
  query: ConversationQuery,
) {
  const { status, assignee_id, label, contact_id, channel, unread, waiting, since, until } = query;
  const rows = await db.rows<ShownRow>(
    sql.replanned(sql`
      select ${shown_columns} from conversations c
       where c.organization_id = ${organization_id} and c.item_count > 0
         ${query.cursor === undefined ? sql.empty : sql`and c.last_item_id < ${list.read(query.cursor)}`}
         ${status ? sql`and c.inbox_state = ${status}` : sql.empty}
         ${assignee_id ? sql`and c.assignee_id = ${assignee_id}` : sql.empty}
         ${contact_id ? sql`and c.contact_id = ${contact_id}` : sql.empty}
         ${label ? sql`and ${label} = any(c.labels)` : sql.empty}
         ${channel ? sql`and ${channel} = any(c.channels)` : sql.empty}
         ${flag(unread, sql`c.unread_count > 0`)}
         ${flag(waiting, sql`c.waiting_since is not null`)}
         ${since ? sql`and c.last_item_id >= ${firstId(since)}` : sql.empty}
         ${until ? sql`and c.last_item_id < ${firstId(until)}` : sql.empty}
       order by c.last_item_id desc limit ${query.limit + 1}`),
  );
  const more = rows.length > query.limit;
  if (more) rows.pop();
  return {
    items: rows.map((row) => presentConversation(row, clock.now())),
    next_cursor: more ? list.write(rows.at(-1)!.last_item_id) : null,
  };
}
