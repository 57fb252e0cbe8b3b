// The thread that reads reports. They come from unknown senders and may be built to be slow.
import { handleTasks } from '../../../../../platform/thread-pool.ts';
import { type ReadMessage, type ReadOptions, readMessage } from './read-report.ts';

export type ReportTask = { raw: Uint8Array; options: ReadOptions };

handleTasks<ReportTask, ReadMessage>(async ({ raw, options }) => ({
  result: await readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), options),
}));
