// Decides which conversation an item belongs to: that of its thread, that of the person, or a new one.
import {
  forgedConversationId,
  type Item,
  type Person,
  personConversationId,
} from '../items/conversation-item.ts';
import { addItem, type ConversationRow, mergeInto, newConversation } from '../projection/conversation-row.ts';

export type ContactParties = { id: string; name: string; parties: readonly string[] };
export type Alias = { alias_id: string; conversation_id: string; was_conversation: boolean };

/** What is known of one organization, for the items of a batch; changed in place and then saved. */
export type OrganizationState = {
  organization_id: string;
  now: string;
  threads: Map<string, string>;
  aliases: Map<string, Alias>;
  conversations: Map<string, ConversationRow>;
  /** By number or address. */
  contacts: Map<string, ContactParties>;
  changes: {
    created: Set<string>;
    opened: Set<string>;
    changed: Set<string>;
    threads: { thread_id: string; conversation_id: string }[];
    aliases: Alias[];
    items: { item: Item; conversation_id: string }[];
    merged: { into: string; from: string }[];
    /** Got items that are older than their last one, so that another channel may be the first. */
    reordered: Set<string>;
  };
};

export const noChanges = (): OrganizationState['changes'] => ({
  created: new Set(),
  opened: new Set(),
  changed: new Set(),
  threads: [],
  aliases: [],
  items: [],
  merged: [],
  reordered: new Set(),
});

/** Adds an item that is not in any conversation yet. */
export function addToConversation(state: OrganizationState, item: Item): void {
  const row = conversationOf(state, item);
  state.changes.items.push({ item, conversation_id: row.id });
  state.changes.changed.add(row.id);
  if (item.id < row.last_item_id) state.changes.reordered.add(row.id);
  if (addItem(row, item)) state.changes.opened.add(row.id);
}

/** Applies a contact: its number and its address belong to one person. */
export function linkContact(state: OrganizationState, contact: ContactParties): void {
  const row = personConversation(state, contact.parties, contact);
  if (!row) return;
  row.contact_id = contact.id;
  row.name = contact.name;
  state.changes.changed.add(row.id);
}

function conversationOf(state: OrganizationState, item: Item): ConversationRow {
  if (item.is_unproven) {
    const id = forgedConversationId(item.organization_id, item.id);
    return (
      currentConversation(state, id) ??
      create(state, item, { id, kind: 'person', name: nameOf(item.people), contact_id: null })
    );
  }
  const thread = state.threads.get(item.thread_id);
  const row =
    (thread && currentConversation(state, thread)) ||
    currentConversation(state, item.thread_id) ||
    firstOfThread(state, item);
  if (!thread) {
    state.threads.set(item.thread_id, row.id);
    state.changes.threads.push({ thread_id: item.thread_id, conversation_id: row.id });
  }
  return row;
}

function firstOfThread(state: OrganizationState, item: Item): ConversationRow {
  const [person, ...others] = item.people;
  if (!person || others.length > 0) {
    const name = item.subject || nameOf(item.people);
    return create(state, item, { id: item.thread_id, kind: 'group', name, contact_id: null });
  }
  const contact = state.contacts.get(person.party) ?? null;
  const parties = contact?.parties ?? [person.party];
  const existing = personConversation(state, parties, contact);
  if (existing) return existing;
  const id = personConversationId(item.organization_id, person.party);
  const name = contact?.name ?? nameOf([person]);
  const row = create(state, item, { id, kind: 'person', name, contact_id: contact?.id ?? null });
  alias(state, parties, row);
  return row;
}

const nameOf = ([person]: readonly Person[]) => person?.name || person?.address || 'Unknown';

function create(
  state: OrganizationState,
  item: Item,
  options: Parameters<typeof newConversation>[1],
): ConversationRow {
  const row = newConversation(item, options);
  state.conversations.set(row.id, row);
  state.changes.created.add(row.id);
  return row;
}

const resolve = (state: OrganizationState, id: string) => state.aliases.get(id)?.conversation_id ?? id;
const currentConversation = (state: OrganizationState, id: string) =>
  state.conversations.get(resolve(state, id));

/** The conversation of a person with these numbers and addresses. Several are merged into the oldest one. */
function personConversation(
  state: OrganizationState,
  parties: readonly string[],
  contact: ContactParties | null,
): ConversationRow | null {
  const rows = new Map<string, ConversationRow>();
  for (const party of parties) {
    const row = currentConversation(state, personConversationId(state.organization_id, party));
    if (row) rows.set(row.id, row);
  }
  const [oldest, ...others] = [...rows.values()].sort((a, b) =>
    `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1,
  );
  if (!oldest) return null;
  for (const row of others) merge(state, oldest, row);
  if (contact) oldest.contact_id ??= contact.id;
  alias(state, parties, oldest);
  return oldest;
}

/** Later items of each of these numbers and addresses go to the same conversation, also when the contact is deleted. */
function alias(state: OrganizationState, parties: readonly string[], row: ConversationRow): void {
  for (const party of parties) {
    const alias_id = personConversationId(state.organization_id, party);
    if (alias_id !== row.id && resolve(state, alias_id) !== row.id)
      setAlias(state, { alias_id, conversation_id: row.id, was_conversation: false });
  }
}

function setAlias(state: OrganizationState, entry: Alias): void {
  state.aliases.set(entry.alias_id, entry);
  state.changes.aliases.push(entry);
}

export function merge(state: OrganizationState, into: ConversationRow, from: ConversationRow): void {
  mergeInto(into, from, state.now);
  state.conversations.delete(from.id);
  for (const entry of [...state.aliases.values()])
    if (entry.conversation_id === from.id) setAlias(state, { ...entry, conversation_id: into.id });
  setAlias(state, { alias_id: from.id, conversation_id: into.id, was_conversation: true });
  for (const each of [...state.changes.threads, ...state.changes.items])
    if (each.conversation_id === from.id) each.conversation_id = into.id;
  state.changes.created.delete(from.id);
  state.changes.changed.delete(from.id);
  state.changes.changed.add(into.id);
  state.changes.reordered.delete(from.id);
  state.changes.reordered.add(into.id);
  state.changes.merged.push({ into: into.id, from: from.id });
}
