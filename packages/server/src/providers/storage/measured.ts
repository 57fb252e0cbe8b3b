// Computes the size and hash of content while it is read, and stops when it is too large.
import { createHash } from 'node:crypto';
import type { ObjectInfo } from './storage.ts';

export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** `result` is complete after the content was read to its end. Throws TooLarge after `max_bytes`. */
export function measured(content: AsyncIterable<Uint8Array> | Uint8Array, max_bytes: number) {
  const hash = createHash('sha256');
  const result: ObjectInfo = { size_bytes: 0, sha256: '' };
  async function* passThrough() {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      result.size_bytes += chunk.length;
      if (result.size_bytes > max_bytes) throw new TooLarge();
      hash.update(chunk);
      yield chunk;
    }
    result.sha256 = hash.digest('hex');
  }
  return { content: passThrough(), result };
}
