// Examines messages: small ones at once, large ones in threads.
import { rememberingLookUp } from '../../../platform/dns.ts';
import { threadPool } from '../../../platform/thread-pool.ts';
import type { Envelope } from './authentication.ts';
import { type Examined, examine } from './examine.ts';
import type { ThreadAnswer, ThreadQuestion } from './examine-thread.ts';
import { UnreadableMessage } from './parse-message.ts';

/** About ten milliseconds of work. */
export const large_bytes = 256 * 1024;

export function messageExaminer(options: { dns_servers: string[]; host: string }) {
  const lookUp = rememberingLookUp({ servers: options.dns_servers });
  const threads = threadPool<ThreadQuestion, ThreadAnswer>({
    file: new URL('./examine-thread.ts', import.meta.url),
    threads: 2,
    max_waiting: 100,
  });

  return {
    /** The message may be moved while it is examined: only the returned bytes may be used afterwards. */
    async examine(raw: Buffer, envelope: Envelope | null): Promise<{ raw: Buffer; examined: Examined }> {
      if (raw.length < large_bytes) {
        return { raw, examined: await examine(raw, envelope, { lookUp, host: options.host }) };
      }
      // A piece of a larger buffer cannot be moved alone.
      const whole = raw.byteLength === raw.buffer.byteLength ? raw : Buffer.from(new Uint8Array(raw));
      const bytes = new Uint8Array(whole.buffer as ArrayBuffer, whole.byteOffset, whole.byteLength);
      const question = { raw: bytes, envelope, ...options };
      const { raw: back, found } = await threads.ask(question, { transfer: [bytes.buffer] });
      if ('unreadable' in found) throw new UnreadableMessage(found.unreadable);
      return { raw: Buffer.from(back.buffer, back.byteOffset, back.byteLength), examined: found };
    },
    close: () => threads.close(),
  };
}
export type MessageExaminer = ReturnType<typeof messageExaminer>;
