// Signs texts with rsa-sha256 off the event loop: a signature takes about a millisecond, and a busy service makes hundreds a second.
import { sign as signWith } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { batched } from '../../../platform/batch.ts';
import { threadPool } from '../../../platform/thread-pool.ts';
import type { Sign } from '../../../protocols/mail/dkim/sign.ts';
import type { ToSign } from './signing-thread.ts';

/** One process has no more to sign than these can. */
const most_threads = 4;
/** Enough that what follows, the hand-over and its commit, is done for many at once; few enough that nobody waits long. */
const most_at_once = 16;

const signAlone = promisify(signWith);

export function signer() {
  const threads = Math.min(availableParallelism(), most_threads);
  const pool = threadPool<ToSign[], string[]>({
    file: new URL('./signing-thread.ts', import.meta.url),
    threads,
    max_waiting: threads,
    young_mb: 2,
  });
  // Gathered as rows are before a commit, and for the same reason. One that comes alone goes to Node's own pool: a process that
  // sends little never starts a thread, which holds 25 MB, and where a thread died its texts come here one by one.
  const inGroups = batched<ToSign, string>(
    async (group) => {
      if (group.length > 1) return pool.run(group);
      const [{ text, key }] = group as [ToSign];
      return [(await signAlone('RSA-SHA256', Buffer.from(text, 'latin1'), key)).toString('base64')];
    },
    { max_rows: most_at_once, max_flushes: threads },
  );
  const sign: Sign = (text, key) => inGroups({ text, key });
  return { sign, close: pool.close };
}
