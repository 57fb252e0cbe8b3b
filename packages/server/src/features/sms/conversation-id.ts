// Names the conversation between one of our senders and one phone: the same pair always gives the same id.
import { hash } from 'node:crypto';

/** A UUIDv8 (RFC 9562 section 5.8): made from the pair, so that two processes agree without asking the database. */
export function conversationId(organization_id: string, ours: string, theirs: string): string {
  const bytes = hash('sha256', [organization_id, ours, theirs].join('\n'), 'buffer');
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
