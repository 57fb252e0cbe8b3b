// Assigns received messages to conversations.
import type { Queryable } from '../../../../../platform/db/database.ts';
import { isProven } from '../../../../access/sender-proof/index.ts';
import { mailboxKey } from '../../party-store.ts';
import { findConversations, type InboundRow } from '../store.ts';

/** A message of the batch, as a later one may refer to it. */
type Earlier = { conversation_id: string; parties: ReadonlySet<string> };

/**
 * Sets `conversation_id`. Messages of one batch may belong to the same new conversation, so the rows are compared as well. In the
 * batch, too, a message joins a conversation only if its sender takes part in it.
 */
export async function joinConversations(on: Queryable, rows: InboundRow[], now_ms: number): Promise<void> {
  const existing = await findConversations(on, rows, now_ms);
  const batch = new Map<string, Earlier>();
  for (const [index, row] of rows.entries()) {
    const keyOf = (id: string | null) => `${row.organization_id} ${id}`;
    const keys = [row.in_reply_to, ...row.references_ids, row.thread_key].map(keyOf);
    const sender = mailboxKey(row.from_address);
    const joined = keys.map((key) => batch.get(key)).find((earlier) => earlier?.parties.has(sender));
    row.conversation_id = existing[index] ?? joined?.conversation_id ?? row.conversation_id;
    const earlier = { conversation_id: row.conversation_id, parties: partiesOf(row) };
    batch.set(keyOf(row.thread_key), earlier);
    if (row.message_id) batch.set(keyOf(row.message_id), earlier);
  }
}

const partiesOf = (row: InboundRow): ReadonlySet<string> =>
  new Set(
    [row.from_address, ...(isProven(row) ? [...row.to_addresses, ...row.cc_addresses] : [])].map(mailboxKey),
  );
