// Reads reports in a separate thread, with a limit on CPU time, so that a hostile report cannot block the event loop.
import { ThreadFailed, threadPool } from '../../../../../platform/thread-pool.ts';
import type { ReadMessage, ReadOptions } from './read-report.ts';
import type { ReportTask } from './report-thread.ts';

/** A report is small; a larger one returns the whole message, which is not needed. */
const max_bytes = 2 * 1024 * 1024;
const cpu_ms = 2000;

export type ReportReader = {
  /** A report that takes too long counts as not understood. Throws if the sender should try again. */
  read(raw: Buffer, options?: ReadOptions): Promise<ReadMessage>;
  close(): Promise<void>;
};

export function reportReader(): ReportReader {
  const pool = threadPool<ReportTask, ReadMessage>({
    name: 'mail_reports',
    file: new URL('./report-thread.ts', import.meta.url),
    threads: 2,
    max_waiting: 1000,
    young_mb: 6,
  });
  return {
    async read(raw, options = {}) {
      // Copied, because posting a slice to a thread would copy the whole underlying buffer.
      const task = { raw: new Uint8Array(raw.subarray(0, max_bytes)), options };
      try {
        return await pool.run(task, { cpu_ms });
      } catch (error) {
        if (!(error instanceof ThreadFailed && error.reason === 'stuck')) throw error;
        return { report: null, is_understood: false, from: '', subject: '' };
      }
    },
    close: pool.close,
  };
}
