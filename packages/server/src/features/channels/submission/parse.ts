// Reads submitted messages in threads with a limit of processor time: their HTML and headers may be built to be slow.
import { ThreadFailed, threadPool } from '../../../platform/thread-pool.ts';
import type { SubmittedMessage } from '../../../protocols/mail/mime/read-submission.ts';
import { UnreadableMessage } from '../../../protocols/mail/mime/structure.ts';
import type { ParseResult, ParseTask } from './parse-thread.ts';

export function submissionParser() {
  const threads = threadPool<ParseTask, ParseResult>({
    name: 'submission',
    file: new URL('./parse-thread.ts', import.meta.url),
    threads: 2,
    // Never reached: the server limits the number of connections.
    max_waiting: 100_000,
  });
  return {
    async parse(raw: Buffer): Promise<SubmittedMessage> {
      // A copy: the files of the message are read from the original afterwards.
      const bytes = new Uint8Array(raw);
      const cpu_ms = 2000 + raw.length / 10_000;
      const answer = await threads.run({ raw: bytes }, { transfer: [bytes.buffer], cpu_ms }).catch(tooSlow);
      if ('unreadable' in answer) throw new UnreadableMessage(answer.unreadable, answer);
      return answer.message;
    },
    close: () => threads.close(),
  };
}
export type SubmissionParser = ReturnType<typeof submissionParser>;

/** Sent again, it would be as slow: it is refused for good. */
function tooSlow(error: unknown): never {
  if (!(error instanceof ThreadFailed && error.reason === 'stuck')) throw error;
  throw new UnreadableMessage('The message takes too long to read');
}
