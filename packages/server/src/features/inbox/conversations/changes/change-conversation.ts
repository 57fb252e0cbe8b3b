// Changes one conversation: locks it, saves the changed fields, and publishes what changed.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { NewEvent } from '../../../../platform/event.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import { agentState } from '../agent-control/agent-state.ts';
import { assigneeOf, conversationEvent } from '../events.ts';
import type { ConversationRow } from '../projection/conversation-row.ts';
import type { ChangeStore } from './change-store.ts';

export type ChangeDeps = { db: Database; clock: Clock; unitOfWork: UnitOfWork; changes: ChangeStore };

/** `more`: events beside conversation.updated, which is published only when a shown field changed. */
export async function changeConversation(
  { clock, unitOfWork, changes }: ChangeDeps,
  tx: Transaction,
  { organization_id, id }: { organization_id: string; id: string },
  change: (row: ConversationRow, now: Date) => { row: ConversationRow; more?: NewEvent[] },
): Promise<void> {
  const before = await changes.lock(tx, organization_id, id);
  if (!before) throw new ApiError('not_found');
  const now = clock.now();
  const { row, more = [] } = change(before, now);
  const after = { ...row, updated_at: now.toISOString() };
  await changes.saveFields(tx, organization_id, after);
  const changed = shownChanges(before, after, now);
  const events = [
    ...(changed.length > 0 ? [conversationEvent('conversation.updated', after, changed)] : []),
    ...more,
  ];
  if (events.length > 0) await unitOfWork.commitIn(tx, [{ events }]);
}

/** The fields whose change is an event. */
function shownChanges(before: ConversationRow, after: ConversationRow, now: Date): string[] {
  const fields = (row: ConversationRow) => ({
    status: row.inbox_state,
    snoozed_until: row.snoozed_until,
    assignee: assigneeOf(row),
    agent_state: agentState(row, now),
    agent_paused_until: row.agent_paused_until,
    labels: row.labels,
    title: row.title,
    metadata: row.metadata,
  });
  const [old_fields, new_fields] = [fields(before), fields(after)];
  return Object.keys(old_fields).filter(
    (name) =>
      JSON.stringify(old_fields[name as keyof typeof old_fields]) !==
      JSON.stringify(new_fields[name as keyof typeof new_fields]),
  );
}
