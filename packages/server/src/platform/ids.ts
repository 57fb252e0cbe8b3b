// Makes UUIDv7 ids (RFC 9562 section 5.7) that sort by creation, also within one millisecond of one process.
import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

export type Ids = { next(): string };

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function uuidv7Ids(clock: Clock): Ids {
  const pool = Buffer.alloc(4096);
  let used = pool.length;
  let last_ms = 0;
  let counter = 0;

  return {
    next() {
      if (used + 8 > pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const ms = clock.ms();
      // The 12 bits after the version count up within a millisecond; when they run out, or the clock steps back,
      // the id borrows from the next millisecond rather than sort wrongly.
      if (ms > last_ms) {
        last_ms = ms;
        counter = pool[used]! & 0x7f;
      } else if (++counter > 0xfff) {
        last_ms++;
        counter = 0;
      }
      const r = pool.subarray(used, used + 8);
      used += 8;
      const time = last_ms.toString(16).padStart(12, '0');
      const low = 0x7000 | counter;
      return `${time.slice(0, 8)}-${time.slice(8)}-${low.toString(16)}-${hex[(r[0]! & 0x3f) | 0x80]}${hex[r[1]!]}-${hex[r[2]!]}${hex[r[3]!]}${hex[r[4]!]}${hex[r[5]!]}${hex[r[6]!]}${hex[r[7]!]}`;
    },
  };
}
