// Decides which test files run in a process of their own, and in which order the files start.
import { readFileSync } from 'node:fs';

export type Queue = {
  /** Files that start processes of their own, or that say so in a comment. */
  alone: string[];
  /** Run one after the other in a few processes: loading the sources takes more than a second of processor time. */
  shared: string[];
};

const isAlone = (path: string, read = (file: string) => readFileSync(file, 'utf8')): boolean =>
  /^test\/journeys\//.test(path) || /^\/\/ Runs in its own process: \S/m.test(read(path));

/** Used until a file has been measured: files that place calls or start processes or browsers take longest. */
const usual_ms = (path: string): number => {
  if (/^test\/packages\//.test(path)) return 90_000;
  if (/^test\/(journeys|browser|python|examples)\/|chaos/.test(path)) return 45_000;
  return /\/(calls|sip|stt|tts)\b/.test(path) ? 8000 : 2000;
};

/** Longest first, so that no long file starts when the others are done. */
export function orderFiles(
  files: readonly string[],
  measured_ms: Readonly<Record<string, number>>,
  alone: (path: string) => boolean = isAlone,
): Queue {
  const expected = (path: string) => measured_ms[path] ?? usual_ms(path);
  const sorted = files.toSorted((a, b) => expected(b) - expected(a));
  const { true: own = [], false: shared = [] } = Object.groupBy(sorted, (path) =>
    alone(path) ? 'true' : 'false',
  );
  return { alone: own, shared };
}

/** Limits what the files of one process can leave in its memory. Half of it would cost four more starts in a fast run. */
const files_per_process = 80;

/**
 * Returns the source of files for the next process, or null when every file is taken. `first` says which files a process gets as
 * long as there are both kinds: files of their own process wait a lot, for programs that start, and the others keep a processor busy.
 */
export function nextProcess(queue: Queue, first: keyof Queue): (() => string | undefined) | null {
  const own = first === 'shared' && queue.shared.length > 0 ? undefined : queue.alone.shift();
  if (own !== undefined) {
    const files = [own];
    return () => files.shift();
  }
  const { shared } = queue;
  if (shared.length === 0) return null;
  let given = 0;
  return () => (given++ < files_per_process ? shared.shift() : undefined);
}
