// Chooses the test files of a run from the words and paths of the command line.
import { globSync, readFileSync } from 'node:fs';

const patterns = ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];

/** `test:quick` leaves these out, and the files of the list: they start whole processes or browsers, or take long. */
const slow_kinds = /(^test\/(journeys|browser|packages)\/|chaos)/;
const slow_files = new URL('slow-files.txt', import.meta.url);

export const allTestFiles = (): string[] =>
  patterns
    .flatMap((pattern) => globSync(pattern, { exclude: (name) => name === 'node_modules' }))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** The lines of slow-files.txt without its comments. */
export const slowFiles = (): string[] =>
  readFileSync(slow_files, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

export function quickFiles(files: readonly string[], slow: readonly string[] = slowFiles()): string[] {
  const left_out = new Set(slow);
  return files.filter((path) => !slow_kinds.test(path) && !left_out.has(path));
}

/** A word selects every file whose path contains it. Throws if a word selects nothing. */
export function selectFiles(files: readonly string[], words: readonly string[]): string[] {
  if (words.length === 0) return [...files];
  const selected = new Set<string>();
  for (const word of words) {
    const wanted = word.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase();
    const matches = files.filter((path) => path.toLowerCase().includes(wanted));
    if (matches.length === 0) throw new Error(unknownWord(files, word));
    for (const path of matches) selected.add(path);
  }
  return files.filter((path) => selected.has(path));
}

function unknownWord(files: readonly string[], word: string): string {
  const names = nearNames(files, word);
  return `No test file has "${word}" in its path.${names.length > 0 ? ` Near names: ${names.join(', ')}` : ''}`;
}

/** The names of folders and files that differ least from the word. */
function nearNames(files: readonly string[], word: string): string[] {
  const last = word.toLowerCase().split('/').at(-1)!;
  const names = new Set(
    files.flatMap((path) => path.split('/')).map((name) => name.replace(/\.test\.ts$/, '')),
  );
  return [...names]
    .map((name) => ({ name, distance: editDistance(name.toLowerCase(), last) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.min(name.length, last.length) / 2))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, 5)
    .map(({ name }) => name);
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution));
    }
    row = next;
  }
  return row[b.length]!;
}
