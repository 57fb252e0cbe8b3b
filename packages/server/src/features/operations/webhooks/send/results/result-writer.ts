// Collects results and stores them in batches. No result is dropped while the database is unavailable.
import type { Log } from '../../../../../platform/log.ts';

export type ResultWriter<T> = {
  readonly deps: {
    store(batch: T[]): Promise<void>;
    /** Called after every stored batch, so that a sender that waited for free capacity can continue. */
    onStored(): void;
    log: Log;
  };
  waiting: T[];
  timer: NodeJS.Timeout | undefined;
  /** Settles when the batch that is being stored is done; null when none is. */
  storing: Promise<void> | null;
};

const batch_ms = 20;
const max_batch = 500;
const retry_ms = 250;

export const createResultWriter = <T>(deps: ResultWriter<T>['deps']): ResultWriter<T> => ({
  deps,
  waiting: [],
  timer: undefined,
  storing: null,
});

export function addResult<T>(writer: ResultWriter<T>, result: T): void {
  writer.waiting.push(result);
  if (!writer.storing) schedule(writer, batch_ms);
}

/** Stores everything that waits, however long the database takes; stops early when `until` aborts. */
export async function flushResults<T>(writer: ResultWriter<T>, until?: AbortSignal): Promise<void> {
  while ((writer.waiting.length > 0 || writer.storing) && !until?.aborted) {
    await (writer.storing ?? storeBatch(writer));
    if (writer.waiting.length > 0 && writer.timer) {
      await new Promise((resolve) => setTimeout(resolve, batch_ms));
    }
  }
}

function schedule<T>(writer: ResultWriter<T>, delay_ms: number): void {
  if (writer.waiting.length >= max_batch && delay_ms === batch_ms) void storeBatch(writer);
  else writer.timer ??= setTimeout(storeBatch, delay_ms, writer);
}

function storeBatch<T>(writer: ResultWriter<T>): Promise<void> {
  clearTimeout(writer.timer);
  writer.timer = undefined;
  writer.storing ??= tryBatch(writer).then((ok) => {
    writer.storing = null;
    if (writer.waiting.length > 0) schedule(writer, ok ? batch_ms : retry_ms);
  });
  return writer.storing;
}

async function tryBatch<T>(writer: ResultWriter<T>): Promise<boolean> {
  const { deps } = writer;
  const batch = writer.waiting.splice(0, max_batch);
  try {
    await deps.store(batch);
    deps.onStored();
    return true;
  } catch (error) {
    deps.log.warn({ err: error, count: batch.length }, 'storing webhook results failed, retrying');
    writer.waiting = [...batch, ...writer.waiting];
    return false;
  }
}
