// Signs texts with rsa-sha256 in threads: a signature takes about a millisecond, and a busy service needs hundreds a second.
import { sign as signWith } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { batched } from '../../../../../platform/batch.ts';
import { threadPool } from '../../../../../platform/thread-pool.ts';
import type { Sign } from '../../../../../protocols/mail/dkim/sign.ts';
import type { SigningTask } from './signing-thread.ts';

/** More threads would be idle: one process cannot send more mail than these can sign. */
const max_threads = 4;
/** Large enough that the hand-overs and commits that follow are batched; small enough for a short wait. */
const max_batch = 16;

const signAlone = promisify(signWith);

export function signer() {
  const threads = Math.min(availableParallelism(), max_threads);
  const pool = threadPool<SigningTask[], string[]>({
    name: 'mail_signing',
    file: new URL('./signing-thread.ts', import.meta.url),
    threads,
    max_waiting: threads,
    young_mb: 2,
  });
  // Batched like commits, because passing a text to a thread has a cost. A single text is signed in Node's own pool: a process
  // that sends little then starts no thread, which takes 25 MB. After a thread has crashed, its texts are retried one by one.
  const signInBatches = batched<SigningTask, string>(
    async (group) => {
      if (group.length > 1) return pool.run(group);
      const [{ text, key }] = group as [SigningTask];
      return [(await signAlone('RSA-SHA256', Buffer.from(text, 'latin1'), key)).toString('base64')];
    },
    { max_rows: max_batch, max_flushes: threads },
  );
  const sign: Sign = (text, key) => signInBatches({ text, key });
  return { sign, close: pool.close };
}
