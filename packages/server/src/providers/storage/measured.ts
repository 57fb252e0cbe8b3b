// Measures content on its way: its size and hash, and the point where it is too large.
import { createHash } from 'node:crypto';
import type { ObjectInfo } from './storage.ts';

export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** `result` is whole once the content has been read to its end; more than `max_bytes` throws TooLarge. */
export function measured(content: AsyncIterable<Uint8Array> | Uint8Array, max_bytes: number) {
  const hash = createHash('sha256');
  const result: ObjectInfo = { size_bytes: 0, sha256: '' };
  async function* passed() {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      result.size_bytes += chunk.length;
      if (result.size_bytes > max_bytes) throw new TooLarge();
      hash.update(chunk);
      yield chunk;
    }
    result.sha256 = hash.digest('hex');
  }
  return { content: passed(), result };
}
