// Reads submitted messages: small ones at once, large ones in a thread with a limit of processor time.
import { threadPool } from '../../platform/thread-pool.ts';
import { readSubmission, type SubmittedMessage } from '../../protocols/mail/mime/read-submission.ts';
import { UnreadableMessage } from '../../protocols/mail/mime/structure.ts';
import type { ParseResult, ParseTask } from './parse-thread.ts';

/** Reading a message of this size takes about a millisecond. A thread would take longer to answer. */
const small_bytes = 64 * 1024;

export function submissionParser() {
  const threads = threadPool<ParseTask, ParseResult>({
    name: 'submission',
    file: new URL('./parse-thread.ts', import.meta.url),
    threads: 1,
    // Never reached: the server limits the number of connections.
    max_waiting: 100_000,
  });
  return {
    async parse(raw: Buffer): Promise<SubmittedMessage> {
      if (raw.length <= small_bytes) return readSubmission(raw);
      // A copy: the files of the message are read from the original afterwards.
      const bytes = new Uint8Array(raw);
      const cpu_ms = 2000 + raw.length / 10_000;
      const found = await threads.run({ raw: bytes }, { transfer: [bytes.buffer], cpu_ms });
      if ('unreadable' in found) throw new UnreadableMessage(found.unreadable, found);
      return found.message;
    },
    close: () => threads.close(),
  };
}
export type SubmissionParser = ReturnType<typeof submissionParser>;
