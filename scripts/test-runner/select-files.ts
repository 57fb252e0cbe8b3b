// Chooses the test files of a run from the words and paths of the command line.
import { globSync } from 'node:fs';

const patterns = ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];

/** All tests below these folders start processes, browsers or foreign programs, or install and build. */
const slow_folders = /^test\/(browser|examples|journeys|packages|python|release)\//;

/** Elsewhere the name says it: chaos, foreign programs, speech engines, waits in real time, and much processor time. */
export const isSlow = (path: string): boolean => slow_folders.test(path) || path.endsWith('.slow.test.ts');

export const allTestFiles = (): string[] =>
  patterns
    .flatMap((pattern) => globSync(pattern, { exclude: (name) => name === 'node_modules' }))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/**
 * A word selects every file whose path contains it; `all`: also the slow ones. The path of a file selects it in any case. Throws
 * if a word selects nothing. `left_out`: slow files that the words name and that do not run.
 */
export function selectFiles(
  files: readonly string[],
  words: readonly string[],
  { all }: { all: boolean },
): { files: string[]; left_out: string[] } {
  const named = new Set(words.length === 0 ? files : []);
  const selected = new Set(files.filter((path) => named.has(path) && (all || !isSlow(path))));
  for (const word of words) {
    const wanted = word.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase();
    const matches = files.filter((path) => path.toLowerCase().includes(wanted));
    const chosen = matches.filter((path) => all || !isSlow(path) || path.toLowerCase() === wanted);
    if (matches.length === 0) throw new Error(unknownWord(files, word));
    if (chosen.length === 0)
      throw new Error(`Only slow tests have "${word}" in their path: npm run test:all -- ${word}`);
    for (const path of matches) named.add(path);
    for (const path of chosen) selected.add(path);
  }
  return {
    files: files.filter((path) => selected.has(path)),
    left_out: files.filter((path) => named.has(path) && !selected.has(path)),
  };
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
