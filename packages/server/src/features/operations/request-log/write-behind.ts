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
  /** How many rows were taken, and how many of them are written or dropped. */
  let accepted = 0;
  let settled = 0;
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const writeBatch = async () => {
    const batch = waiting.slice(0, max_batch);
    waiting = waiting.slice(max_batch);
    try {
      await write(batch);
    } catch {
      dropped(batch.length);
    }
    settled += batch.length;
  };

  /** Rows that come in during a write wait for the next batch: writing them at once would make many small transactions. */
  const startWriting = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writeBatch().finally(() => {
      writing = null;
      schedule();
    });
    return writing;
  };

  const schedule = () => {
    if (writing || waiting.length === 0) return;
    if (waiting.length >= max_batch) void startWriting();
    else timer ??= setTimeout(startWriting, delay_ms).unref();
  };

  return {
    add(row: T): void {
      if (waiting.length >= max_waiting) {
        dropped(1);
        return;
      }
      waiting.push(row);
      accepted++;
      schedule();
    },
    /** Resolves when everything that was added before is written or dropped. */
    async flush(): Promise<void> {
      const until = accepted;
      while (settled < until) await (writing ?? startWriting());
    },
  };
}
