// Writes rows in batches after the response of their request. Memory is bounded, and rows are dropped rather than waited for.

type Options<T> = {
  /** Must be all or nothing. */
  write(rows: T[]): Promise<unknown>;
  /** This many rows are not stored: the memory is full, or the database does not answer. */
  dropped(count: number): void;
  max_waiting: number;
  max_batch: number;
  delay_ms: number;
};

export function writeBehind<T>({ write, dropped, max_waiting, max_batch, delay_ms }: Options<T>) {
  let waiting: T[] = [];
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const writeAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.length > max_batch ? waiting.slice(0, max_batch) : waiting;
      waiting = batch === waiting ? [] : waiting.slice(max_batch);
      try {
        await write(batch);
      } catch {
        dropped(batch.length);
      }
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  };

  return {
    add(row: T): void {
      if (waiting.length >= max_waiting) {
        dropped(1);
        return;
      }
      waiting.push(row);
      if (writing) return;
      if (waiting.length >= max_batch) void flush();
      else timer ??= setTimeout(flush, delay_ms).unref();
    },
    /** Resolves when everything that was added before is written or dropped. */
    flush,
  };
}
