// The id of the conversation between one of our senders and one phone: the same pair always has the same id.
import { hash } from 'node:crypto';

/** A UUIDv8 (RFC 9562 section 5.8) from a hash of the pair, so that two processes agree without a query. */
export function conversationId(organization_id: string, ours: string, theirs: string): string {
  const hex = hash('sha256', `${organization_id}\n${ours}\n${theirs}`);
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 0x3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
