// Splits a message into header and body while it streams past, and hashes the body for its DKIM signature.
import { bodyHasher } from './body-hash.ts';

const header_end = Buffer.from('\r\n\r\n');

export function messageHasher() {
  const hasher = bodyHasher();
  let unread: Buffer = Buffer.alloc(0);
  let header: string | null = null;
  return {
    update(chunk: Buffer): void {
      if (header !== null) {
        hasher.update(chunk);
        return;
      }
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      const end = unread.indexOf(header_end);
      if (end === -1) return;
      header = unread.toString('latin1', 0, end);
      hasher.update(unread.subarray(end + header_end.length));
    },
    /** The header without its last line end, and the hash of the body. */
    digest: (): { header: string; body_hash: string } => ({
      header: header ?? '',
      body_hash: hasher.digest(),
    }),
  };
}
