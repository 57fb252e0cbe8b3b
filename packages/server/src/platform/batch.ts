// Batches inputs that arrive together, so that one statement, one commit and one fsync serve many requests.
import { DatabaseUnavailable } from './db/database.ts';

/** A flush that takes longer no longer delays the next one. */
const slow_ms = 10;

/**
 * `flush` receives all inputs that arrived during the flushes before it, and returns the result of each at its index.
 * While idle, an input is flushed in the next turn of the event loop. A running flush is waited for, because one larger
 * batch costs less than two; only behind a slow flush, or with a full batch waiting, another one starts.
 * When a batch fails, each input is tried alone, so that one bad row does not fail the others. When the database is
 * unavailable nothing is retried: each try could wait as long as the first, and the first may have committed, so a retry
 * would hit its own unique key.
 */
export function batched<In, Out>(
  flush: (inputs: In[]) => Promise<Out[]>,
  options: { max_rows?: number; max_flushes?: number } = {},
): (input: In) => Promise<Out> {
  const max_rows = options.max_rows ?? 100;
  const max_flushes = options.max_flushes ?? 4;
  type Waiting = { input: In; resolve: (out: Out) => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let flushing = 0;
  let scheduled = false;
  let slow_timer: NodeJS.Timeout | undefined;

  /** Returns a function that settles the callers' promises, so that the next flush can start first. */
  const write = async (group: Waiting[]): Promise<() => void> => {
    try {
      const results = await flush(group.map((each) => each.input));
      return () => {
        for (const [index, each] of group.entries()) each.resolve(results[index]!);
      };
    } catch (error) {
      if (group.length === 1 || error instanceof DatabaseUnavailable) {
        return () => {
          for (const each of group) each.reject(error);
        };
      }
      const settles: (() => void)[] = [];
      for (const each of group) settles.push(await write([each]));
      return () => {
        for (const settle of settles) settle();
      };
    }
  };

  const begin = async () => {
    flushing++;
    const settle = await write(waiting.splice(0, max_rows));
    flushing--;
    // Start the next flush first: the database works while these promises are settled.
    next();
    settle();
  };

  const next = () => {
    scheduled = false;
    clearTimeout(slow_timer);
    slow_timer = undefined;
    while (waiting.length > 0 && (flushing === 0 || (waiting.length >= max_rows && flushing < max_flushes)))
      void begin();
    if (waiting.length === 0 || flushing >= max_flushes) return;
    slow_timer = setTimeout(() => {
      if (waiting.length > 0) void begin();
      next();
    }, slow_ms);
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      // One turn of the event loop lets every request that was read from the sockets join the batch. A full batch is flushed
      // immediately.
      if (!scheduled && !slow_timer && flushing < max_flushes) {
        scheduled = true;
        setImmediate(next);
      } else if (waiting.length >= max_rows && flushing < max_flushes) void begin();
    });
}
