// Collects the garbage of the start: an idle process would hold that memory until it is busy.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Reading and compiling hundreds of modules leaves tens of megabytes of garbage; one full collection takes about 50 ms. */
export function collectStartGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // The collection drops hidden classes without an instance. For entries of Node's tick queue V8 never returns to the
  // fast path after that, so one entry is in the queue during the collection.
  process.nextTick(() => {});
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
