// The events that a change of conversations causes.
import type { ConversationData } from '@parley/contract/inbox/conversation-events';
import type { NewEvent } from '../../../platform/event.ts';
import type { OrganizationState } from './changes/assignment.ts';
import type { ConversationRow } from './projection/conversation-row.ts';

export const assigneeOf = ({ assignee_kind: kind, assignee_id: id }: ConversationRow) =>
  kind && id ? { kind, id } : null;

const dataOf = (row: ConversationRow, changed: string[]): ConversationData => ({
  id: row.id,
  changed,
  kind: row.kind,
  status: row.inbox_state,
  assignee: assigneeOf(row),
  labels: row.labels,
  last_item: row.last_item,
});

export const conversationEvent = (
  type: 'conversation.created' | 'conversation.updated',
  row: ConversationRow,
  changed: string[],
): NewEvent => ({
  organization_id: row.organization_id,
  type,
  resource_id: row.id,
  data: dataOf(row, changed),
});

export function conversationEvents(state: OrganizationState): NewEvent[] {
  const { created, opened, merged } = state.changes;
  const events: NewEvent[] = [];
  for (const [id, row] of state.conversations) {
    if (created.has(id)) events.push(conversationEvent('conversation.created', row, []));
    else if (opened.has(id)) events.push(conversationEvent('conversation.updated', row, ['status']));
  }
  for (const { into, from } of merged)
    events.push({
      organization_id: state.organization_id,
      type: 'conversation.merged',
      resource_id: into,
      data: { id: into, merged_id: from },
    });
  return events;
}
