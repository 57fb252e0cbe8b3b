// A row of the table conversations, and how items and merges change it.
import type { ConversationChannel, ConversationStatus, LastItem } from '@parley/contract/inbox/conversations';
import type { Item } from '../items/conversation-item.ts';

export type ConversationRow = {
  organization_id: string;
  id: string;
  kind: 'person' | 'group';
  contact_id: string | null;
  title: string | null;
  name: string;
  inbox_state: ConversationStatus;
  inbox_state_set_at: string | null;
  snoozed_until: string | null;
  assignee_kind: 'agent' | 'member' | null;
  assignee_id: string | null;
  agent_paused_until: string | null;
  /** A person answers: a member took it over, or the agent handed it over. */
  is_with_human: boolean;
  labels: string[];
  metadata: Record<string, unknown>;
  channels: ConversationChannel[];
  item_count: number;
  unread_count: number;
  read_up_to: string | null;
  last_outbound_id: string | null;
  waiting_since: string | null;
  last_item_id: string;
  /** Null when every item was deleted or is in quarantine. */
  last_item: LastItem | null;
  created_at: string;
  updated_at: string;
};

export const newConversation = (
  item: Item,
  { id, kind, name, contact_id }: Pick<ConversationRow, 'id' | 'kind' | 'name' | 'contact_id'>,
): ConversationRow => ({
  organization_id: item.organization_id,
  id,
  kind,
  contact_id,
  title: null,
  name,
  inbox_state: 'open',
  inbox_state_set_at: null,
  snoozed_until: null,
  assignee_kind: null,
  assignee_id: null,
  agent_paused_until: null,
  is_with_human: false,
  labels: [],
  metadata: {},
  channels: [],
  item_count: 0,
  unread_count: 0,
  read_up_to: null,
  last_outbound_id: null,
  waiting_since: null,
  last_item_id: item.id,
  last_item: lastItemOf(item),
  created_at: item.at,
  updated_at: item.at,
});

export const lastItemOf = ({ noun, id, direction, at, preview }: Item): LastItem => ({
  noun,
  id,
  direction,
  at,
  preview,
});

const isAfter = (id: string, mark: string | null) => mark === null || id > mark;

/** Counts a new item. Returns true when it opened the conversation again. */
export function addItem(row: ConversationRow, item: Item): boolean {
  row.item_count++;
  if (!row.channels.includes(item.noun)) row.channels.push(item.noun);
  if (item.id >= row.last_item_id || row.last_item === null) {
    row.last_item_id = item.id;
    row.last_item = lastItemOf(item);
  }
  if (item.at > row.updated_at) row.updated_at = item.at;
  if (item.direction === 'outbound') {
    if (isAfter(item.id, row.last_outbound_id)) row.last_outbound_id = item.id;
    return false;
  }
  if (item.is_automatic) return false;
  if (isAfter(item.id, row.read_up_to)) row.unread_count++;
  const is_news = row.inbox_state_set_at === null || item.at > row.inbox_state_set_at;
  if (row.inbox_state === 'open' || !is_news) return false;
  row.inbox_state = 'open';
  row.snoozed_until = null;
  return true;
}

/** Adds what `from` has to `into`. */
export function mergeInto(into: ConversationRow, from: ConversationRow, now: string): void {
  into.item_count += from.item_count;
  into.unread_count += from.unread_count;
  into.channels = [...new Set([...into.channels, ...from.channels])];
  into.labels = [...new Set([...into.labels, ...from.labels])].sort();
  into.metadata = { ...from.metadata, ...into.metadata };
  into.contact_id ??= from.contact_id;
  into.title ??= from.title;
  if (from.inbox_state === 'open') {
    into.inbox_state = 'open';
    into.snoozed_until = null;
  }
  if (into.assignee_id === null) {
    into.assignee_kind = from.assignee_kind;
    into.assignee_id = from.assignee_id;
  }
  // The more careful state: no agent may answer in a conversation that a member took over.
  into.is_with_human ||= from.is_with_human;
  into.agent_paused_until = newest(into.agent_paused_until, from.agent_paused_until);
  if (from.last_item && (from.last_item_id > into.last_item_id || into.last_item === null)) {
    into.last_item_id = from.last_item_id;
    into.last_item = from.last_item;
  }
  into.last_outbound_id = newest(into.last_outbound_id, from.last_outbound_id);
  into.read_up_to = newest(into.read_up_to, from.read_up_to);
  into.created_at = into.created_at < from.created_at ? into.created_at : from.created_at;
  into.updated_at = now;
}

const newest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a);
