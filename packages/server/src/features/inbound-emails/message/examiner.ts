// Examines messages: small ones at once, large ones in threads.
import { rememberingLookUp } from '../../../platform/dns.ts';
import { threadPool } from '../../../platform/thread-pool.ts';
import type { Authentication, Envelope } from './authentication.ts';
import { examine } from './examine.ts';
import type { ThreadAnswer, ThreadQuestion } from './examine-thread.ts';
import { UnreadableMessage } from './mime.ts';
import type { ParsedMessage } from './parse-message.ts';

export type Judged = { message: ParsedMessage; authentication: Authentication | null };

/** About ten milliseconds of work. */
export const large_bytes = 256 * 1024;

export function messageExaminer(options: { dns_servers: string[]; host: string }) {
  const lookUp = rememberingLookUp({ servers: options.dns_servers });
  const threads = threadPool<ThreadQuestion, ThreadAnswer>({
    file: new URL('./examine-thread.ts', import.meta.url),
    threads: 2,
    max_waiting: 100,
    young_mb: 6,
  });

  const examineAnywhere = async (raw: Buffer, mail_from: string | null) => {
    if (raw.length < large_bytes) return { raw, examined: await examine(raw, mail_from, lookUp) };
    // A piece of a larger buffer cannot be moved alone.
    const whole = raw.byteLength === raw.buffer.byteLength ? raw : Buffer.from(new Uint8Array(raw));
    const bytes = new Uint8Array(whole.buffer as ArrayBuffer, whole.byteOffset, whole.byteLength);
    const question = { raw: bytes, mail_from, dns_servers: options.dns_servers };
    const { raw: back, found } = await threads.ask(question, { transfer: [bytes.buffer] });
    if ('unreadable' in found) throw new UnreadableMessage(found.unreadable);
    return { raw: Buffer.from(back.buffer, back.byteOffset, back.byteLength), examined: found };
  };

  return {
    /** The message may be moved while it is examined: only the returned bytes may be used afterwards. */
    async examine(raw: Buffer, envelope: Envelope | null): Promise<{ raw: Buffer; examined: Judged }> {
      const { raw: back, examined } = await examineAnywhere(raw, envelope?.mail_from ?? null);
      const { message, signatures } = examined;
      if (!envelope || !signatures) return { raw: back, examined: { message, authentication: null } };
      // Loaded with the first message: not every process receives mail.
      const { authenticate } = await import('./authentication.ts');
      const authentication = await authenticate(signatures, envelope, { lookUp, host: options.host });
      return { raw: back, examined: { message, authentication } };
    },
    close: () => threads.close(),
  };
}
export type MessageExaminer = ReturnType<typeof messageExaminer>;
