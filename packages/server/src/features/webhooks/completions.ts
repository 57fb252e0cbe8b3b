// Gathers what happened to deliveries and writes it down many at a time; nothing is dropped while the database is away.
import type { Log } from '../../platform/log.ts';

export function completionWriter<T>(deps: {
  write(batch: T[]): Promise<void>;
  /** Some were written: whoever held back because of them may go on. */
  written(): void;
  log: Log;
  batch_ms?: number;
  max_batch?: number;
}) {
  const { write, log, batch_ms = 20, max_batch = 500 } = deps;
  const retry_ms = 250;
  let waiting: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;

  const writeOnce = async () => {
    const batch = waiting.splice(0, max_batch);
    try {
      await write(batch);
      deps.written();
      return true;
    } catch (error) {
      log.warn({ err: error, count: batch.length }, 'webhook results cannot be stored; trying again');
      waiting = [...batch, ...waiting];
      return false;
    }
  };

  const begin = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeOnce().then((ok) => {
      writing = null;
      if (waiting.length > 0) schedule(ok ? batch_ms : retry_ms);
    });
    return writing;
  };

  const schedule = (delay_ms: number) => {
    if (waiting.length >= max_batch && delay_ms === batch_ms) void begin();
    else timer ??= setTimeout(begin, delay_ms);
  };

  return {
    add(item: T): void {
      waiting.push(item);
      if (!writing) schedule(batch_ms);
    },
    count: () => waiting.length,
    /** Writes everything down, however long the database takes; gives up only when `until` says so. */
    async flush(until?: AbortSignal): Promise<void> {
      while ((waiting.length > 0 || writing) && !until?.aborted) {
        await (writing ?? begin());
        if (waiting.length > 0 && timer) await new Promise((resolve) => setTimeout(resolve, batch_ms));
      }
    },
  };
}
