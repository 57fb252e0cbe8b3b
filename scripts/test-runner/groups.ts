// Divides test files into groups. The files of a group run one after the other in one process.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type Group = { files: string[]; expected_ms: number };

/** Loading the sources takes a second per process, so a folder shares one. More files than this would only delay the end. */
const max_files = 8;

/** Files that start processes of their own, or that say so in a comment, are groups of one. */
const isAlone = (path: string, read = (file: string) => readFileSync(file, 'utf8')): boolean =>
  /^test\/(journeys|browser)\//.test(path) || /^\/\/ Runs in its own process: \S/m.test(read(path));

/** Used until a file has been measured: files that place calls or start processes take longest. */
const usual_ms = (path: string): number => {
  if (/^test\/(journeys|browser)\/|chaos/.test(path)) return 30_000;
  return /\/(calls|sip|stt|tts)\b/.test(path) ? 15_000 : 3_000;
};

/** Longest first, so that no long group starts when the others are done. */
export function groupFiles(
  files: readonly string[],
  measured_ms: Readonly<Record<string, number>>,
  alone: (path: string) => boolean = isAlone,
): Group[] {
  const by_folder = Map.groupBy(files, (path) => (alone(path) ? path : dirname(path)));
  const groups: Group[] = [];
  for (const [, members] of by_folder) {
    const parts = Math.ceil(members.length / max_files);
    const size = Math.ceil(members.length / parts);
    for (let start = 0; start < members.length; start += size) {
      const part = members.slice(start, start + size);
      const expected_ms = part.reduce((sum, path) => sum + (measured_ms[path] ?? usual_ms(path)), 0);
      groups.push({ files: part, expected_ms });
    }
  }
  return groups.sort((a, b) => b.expected_ms - a.expected_ms);
}
