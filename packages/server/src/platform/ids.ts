// Creates UUIDv7 ids (RFC 9562 section 5.7) that sort by creation, also those that one process creates within a millisecond.
import { hash, randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

export type Ids = { next(): string };

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function uuidv7Ids(clock: Clock): Ids {
  const pool = Buffer.alloc(4096);
  let used = pool.length;
  let last_ms = 0;
  let counter = 0;
  // Cached text of the last millisecond: many ids share it.
  let prefix = '';
  const timeText = (ms: number) => {
    const time = ms.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-`;
  };

  return {
    next() {
      if (used + 8 > pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const ms = clock.ms();
      // The 12 bits after the version count up while the clock does not advance, also when it is set back. When they run out,
      // the id uses the next millisecond. So ids always sort in order.
      if (ms > last_ms) {
        last_ms = ms;
        prefix = timeText(last_ms);
        counter = pool[used]! & 0x7f;
      } else if (++counter > 0xfff) {
        last_ms++;
        prefix = timeText(last_ms);
        counter = 0;
      }
      const byte = () => hex[pool[used++]!]!;
      const variant = hex[(pool[used++]! & 0x3f) | 0x80]!;
      return `${prefix}${(0x7000 | counter).toString(16)}-${variant}${byte()}-${byte()}${byte()}${byte()}${byte()}${byte()}${byte()}`;
    },
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => uuid.test(text);

/** The smallest UUIDv7 of a moment: ids sort by time, so it is a lower bound in queries. */
export const firstIdAt = (moment: Date) =>
  `${moment
    .getTime()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;

/** When an id of `uuidv7Ids` was created. */
export const momentOf = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** A UUIDv8 (RFC 9562 section 5.8) from a hash of the parts: every process gets the same id without a query. */
export function namedId(...parts: readonly string[]): string {
  const text = hash('sha256', parts.join('\n'));
  const variant = '89ab'[Number.parseInt(text[16]!, 16) & 0x3];
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-8${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20, 32)}`;
}
