// Long work on the event loop in steps: what waits meanwhile, such as a request or the sound of a call, goes first.
import { setImmediate as nextTurn } from 'node:timers/promises';

const longest_ms = 8;

/** Call it between the steps. It waits for the next turn of the event loop when this one has taken long enough. */
export function turns(): () => Promise<void> {
  let since_ms = performance.now();
  return async () => {
    if (performance.now() - since_ms < longest_ms) return;
    await nextTurn();
    since_ms = performance.now();
  };
}

export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const between = turns();
  const results: Result[] = [];
  for (const item of items) {
    await between();
    results.push(work(item));
  }
  return results;
}
