// A thread that reads reports: anybody may send one, and may have made it to be slow.
import { handleTasks } from '../../../platform/thread-pool.ts';
import { type ReadMessage, type ReadOptions, readMessage } from './read-report.ts';

export type ReportQuestion = { raw: Uint8Array; options: ReadOptions };

handleTasks<ReportQuestion, ReadMessage>(async ({ raw, options }) => ({
  result: await readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), options),
}));
