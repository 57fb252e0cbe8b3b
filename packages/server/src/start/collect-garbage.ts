// Gives back the memory that only starting needed: an idle process would hold it until it is busy.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Reading and compiling hundreds of modules leaves tens of megabytes of garbage; one full collection takes about 50 ms. */
export function collectStartGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // The collection throws away the hidden class of anything that has no instance just then. For the entries of Node's own
  // queue of ticks V8 never finds back to the fast path, so one waits in it meanwhile.
  process.nextTick(() => {});
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
