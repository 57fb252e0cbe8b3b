// The SQL that saves what items and merges changed in the conversations of an organization.
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { OrganizationState } from '../changes/assignment.ts';
import { type Item, personConversationId } from '../items/conversation-item.ts';

export async function saveChanges(tx: Transaction, state: OrganizationState): Promise<void> {
  const { organization_id, changes } = state;
  for (const { into, from } of changes.merged) await redirect(tx, organization_id, into, from);
  await saveConversations(tx, state);
  await saveAliases(tx, state);
  if (changes.threads.length > 0)
    await tx.run(sql`
      insert into conversation_threads (organization_id, thread_id, conversation_id)
      select ${organization_id}, * from unnest(${changes.threads.map((each) => each.thread_id)}::uuid[],
                                               ${changes.threads.map((each) => each.conversation_id)}::uuid[])
      on conflict do nothing`);
  if (changes.items.length > 0) {
    await saveItems(tx, state);
    await saveParticipants(tx, state);
  }
}

/** Everything that led to a merged conversation leads to the other one. */
async function redirect(tx: Transaction, organization_id: string, into: string, from: string): Promise<void> {
  await tx.run(sql`
    update conversation_aliases set conversation_id = ${into}
     where organization_id = ${organization_id} and conversation_id = ${from}`);
  await tx.run(sql`
    insert into conversation_participants
    select organization_id, ${into}, party, role, channel, address, name, first_item_id from conversation_participants
     where organization_id = ${organization_id} and conversation_id = ${from}
    on conflict do nothing`);
  await tx.run(sql`
    delete from conversation_participants where organization_id = ${organization_id} and conversation_id = ${from}`);
  await tx.run(sql`delete from conversations where organization_id = ${organization_id} and id = ${from}`);
}

async function saveConversations(
  tx: Transaction,
  { conversations, changes }: OrganizationState,
): Promise<void> {
  const rows = [...conversations.values()].filter(({ id }) => changes.changed.has(id));
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into conversations
    select * from json_populate_recordset(null::conversations, ${JSON.stringify(rows)})
    on conflict (organization_id, id) do update set
      contact_id = excluded.contact_id, title = excluded.title, name = excluded.name, inbox_state = excluded.inbox_state,
      snoozed_until = excluded.snoozed_until, assignee_kind = excluded.assignee_kind, assignee_id = excluded.assignee_id,
      agent_paused_until = excluded.agent_paused_until, is_with_human = excluded.is_with_human,
      labels = excluded.labels, metadata = excluded.metadata, channels = excluded.channels,
      item_count = excluded.item_count, unread_count = excluded.unread_count, read_up_to = excluded.read_up_to,
      last_outbound_id = excluded.last_outbound_id, last_item_id = excluded.last_item_id,
      last_item = excluded.last_item, created_at = excluded.created_at, updated_at = excluded.updated_at`);
}

async function saveAliases(tx: Transaction, { organization_id, changes }: OrganizationState): Promise<void> {
  // The same alias may have been changed twice: the last value counts.
  const aliases = [...new Map(changes.aliases.map((each) => [each.alias_id, each])).values()];
  if (aliases.length === 0) return;
  await tx.run(sql`
    insert into conversation_aliases (organization_id, alias_id, conversation_id, was_conversation)
    select ${organization_id}, alias_id, conversation_id, was_conversation
      from json_populate_recordset(null::conversation_aliases, ${JSON.stringify(aliases)})
    on conflict (organization_id, alias_id) do update set conversation_id = excluded.conversation_id,
      was_conversation = conversation_aliases.was_conversation or excluded.was_conversation`);
}

async function saveItems(tx: Transaction, { changes }: OrganizationState): Promise<void> {
  const rows = changes.items.map(({ item, conversation_id }) => ({
    organization_id: item.organization_id,
    conversation_id,
    id: item.id,
    noun: item.noun,
    thread_id: item.thread_id,
    direction: item.direction,
    is_automatic: item.is_automatic,
  }));
  await tx.run(sql`
    insert into conversation_items
    select * from json_populate_recordset(null::conversation_items, ${JSON.stringify(rows)})`);
}

async function saveParticipants(tx: Transaction, state: OrganizationState): Promise<void> {
  const rows = new Map<string, object>();
  const begun = new Set<string>();
  for (const { item, conversation_id } of state.changes.items) {
    const is_first = state.changes.created.has(conversation_id) && !begun.has(conversation_id);
    begun.add(conversation_id);
    for (const person of participantsOf(item)) {
      const key = `${conversation_id} ${person.party}`;
      if (!rows.has(key))
        rows.set(key, {
          organization_id: item.organization_id,
          conversation_id,
          first_item_id: item.id,
          ...person,
          role: person.role ?? (is_first ? 'external' : roleOf(state, conversation_id, person.party)),
        });
    }
  }
  await tx.run(sql`
    insert into conversation_participants
    select * from json_populate_recordset(null::conversation_participants, ${JSON.stringify([...rows.values()])})
    on conflict (organization_id, conversation_id, party) do update
       set name = coalesce(excluded.name, conversation_participants.name)
     where excluded.name is not null and excluded.name is distinct from conversation_participants.name`);
}

const participantsOf = (item: Item) => [
  ...item.people.map((person) => ({ ...person, role: null })),
  ...item.own.map((person) => ({ ...person, role: 'own' as const })),
];

/** People who are named later, in a group or in a thread with one person, are copied. */
function roleOf(state: OrganizationState, conversation_id: string, party: string): 'external' | 'copied' {
  const own_id = personConversationId(state.organization_id, party);
  const leads_to = state.aliases.get(own_id)?.conversation_id ?? own_id;
  return leads_to === conversation_id ? 'external' : 'copied';
}
