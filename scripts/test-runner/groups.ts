// Divides test files into groups. The files of a group run one after the other in one process.
import { readFileSync } from 'node:fs';

export type Group = { files: string[]; expected_ms: number };

/**
 * Loading the sources takes a second of processor time per process, so neighboring files share one. A group ends when it has
 * this many files or is expected to take this long: larger groups would only delay the end of the run.
 */
const max_files = 24;
const max_expected_ms = 40_000;

/** Files that start processes of their own, or that say so in a comment, are groups of one. */
const isAlone = (path: string, read = (file: string) => readFileSync(file, 'utf8')): boolean =>
  /^test\/(journeys|browser)\//.test(path) || /^\/\/ Runs in its own process: \S/m.test(read(path));

/** Used until a file has been measured: files that place calls or start processes take longest. */
const usual_ms = (path: string): number => {
  if (/^test\/packages\//.test(path)) return 90_000;
  // More than a group of short files, so that these start first.
  if (/^test\/(journeys|browser|python|examples)\/|chaos/.test(path)) return max_expected_ms + 5000;
  return /\/(calls|sip|stt|tts)\b/.test(path) ? 8000 : 2000;
};

/** Longest first, so that no long group starts when the others are done. */
export function groupFiles(
  files: readonly string[],
  measured_ms: Readonly<Record<string, number>>,
  alone: (path: string) => boolean = isAlone,
): Group[] {
  const expected = (path: string) => measured_ms[path] ?? usual_ms(path);
  const groups: Group[] = [];
  let shared: Group | null = null;
  for (const path of files) {
    const expected_ms = expected(path);
    if (alone(path)) groups.push({ files: [path], expected_ms });
    else if (
      shared &&
      shared.files.length < max_files &&
      shared.expected_ms + expected_ms <= max_expected_ms
    ) {
      shared.files.push(path);
      shared.expected_ms += expected_ms;
    } else {
      shared = { files: [path], expected_ms };
      groups.push(shared);
    }
  }
  return groups.sort((a, b) => b.expected_ms - a.expected_ms);
}
