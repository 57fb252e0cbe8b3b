// Puts requests that arrive together into one statement and so one commit: each fsync carries many rows.
import { DatabaseUnavailable } from './db/database.ts';

/** A flush that takes longer no longer holds the next one up. */
const slow_ms = 10;

/**
 * `flush` receives all inputs that came while the flushes before it were under way, and answers each at its index.
 * An idle service writes at once, and a quick flush is waited for, because the larger group that gathers meanwhile costs
 * less than two; behind a slow one, or with a full group waiting, another is begun. Where a joint flush fails, each input is tried alone,
 * so that one bad row cannot fail its neighbours. When the database is away nothing is tried again: each try could
 * wait as long as the first, and the first may have been committed after all, so that a row would meet itself.
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
  let impatience: NodeJS.Timeout | undefined;

  /** Gives back how to tell them. */
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
      const tells: (() => void)[] = [];
      for (const each of group) tells.push(await write([each]));
      return () => {
        for (const tell of tells) tell();
      };
    }
  };

  const begin = async () => {
    flushing++;
    const tell = await write(waiting.splice(0, max_rows));
    flushing--;
    // The next flush first: the database works while these are answered.
    next();
    tell();
  };

  const next = () => {
    scheduled = false;
    clearTimeout(impatience);
    impatience = undefined;
    while (waiting.length > 0 && (flushing === 0 || (waiting.length >= max_rows && flushing < max_flushes)))
      void begin();
    if (waiting.length === 0 || flushing >= max_flushes) return;
    impatience = setTimeout(() => {
      if (waiting.length > 0) void begin();
      next();
    }, slow_ms);
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      // One turn of the event loop lets every request already read from the sockets join the group; a full one need not
      // wait for it, and is written while the others are read.
      if (!scheduled && !impatience && flushing < max_flushes) {
        scheduled = true;
        setImmediate(next);
      } else if (waiting.length >= max_rows && flushing < max_flushes) void begin();
    });
}
