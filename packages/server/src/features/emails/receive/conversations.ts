// Assigns received messages to conversations.
import type { Queryable } from '../../../platform/db/database.ts';
import { findConversations, type InboundRow } from './store.ts';

/** Sets `conversation_id`. Messages of one batch may belong to the same new conversation, so the rows are compared as well. */
export async function joinConversations(on: Queryable, rows: InboundRow[], now_ms: number): Promise<void> {
  const existing = await findConversations(on, rows, now_ms);
  const new_in_batch = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const keyOf = (id: string | null) => `${row.organization_id} ${id}`;
    const keys = [row.in_reply_to, ...row.references_ids, row.thread_key].map(keyOf);
    row.conversation_id =
      existing[index] ??
      keys.map((key) => new_in_batch.get(key)).find((id) => id !== undefined) ??
      row.conversation_id;
    new_in_batch.set(keyOf(row.thread_key), row.conversation_id);
    if (row.message_id) new_in_batch.set(keyOf(row.message_id), row.conversation_id);
  }
}
