// Reads reports in a thread of their own, off the event loop, and gives up on one that takes too long.
import { ThreadFailed, threadPool } from '../../../platform/thread-pool.ts';
import type { ReadMessage, ReadOptions } from './read-report.ts';
import type { ReportQuestion } from './report-thread.ts';

/** A report is small; what is larger carries the whole message back, which nobody needs. */
const max_bytes = 2 * 1024 * 1024;
const cpu_ms = 2000;

export type ReportReader = {
  /** One that cannot be read in time counts as not understood; throws where the sender should try again. */
  read(raw: Buffer, options?: ReadOptions): Promise<ReadMessage>;
  close(): Promise<void>;
};

export function reportReader(): ReportReader {
  const pool = threadPool<ReportQuestion, ReadMessage>({
    file: new URL('./report-thread.ts', import.meta.url),
    threads: 1,
    max_waiting: 1000,
    young_mb: 6,
  });
  return {
    async read(raw, options = {}) {
      // A copy of its own: a piece of a larger buffer would be sent with all of it.
      const question = { raw: new Uint8Array(raw.subarray(0, max_bytes)), options };
      try {
        return await pool.run(question, { cpu_ms });
      } catch (error) {
        if (!(error instanceof ThreadFailed && error.reason === 'stuck')) throw error;
        return { report: null, is_understood: false, from: '', subject: '' };
      }
    },
    close: pool.close,
  };
}
