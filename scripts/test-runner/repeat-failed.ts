// Runs the few files that failed once more, one after the other, to tell a broken test from one that fails under load.
import { failedTests } from './print.ts';
import type { FileResult } from './run-process.ts';

/** With more failures than this, a change is broken: repeating would only take time. */
const most_repeated = 8;

/**
 * Returns the results that decide. A file that passes alone counts as passed, and its first result is listed as unstable: such
 * a test has a race or a deadline that is too short, and has to be mended.
 */
export async function repeatFailed(
  results: readonly FileResult[],
  runAgain: (file: string) => Promise<FileResult[]>,
): Promise<{ results: FileResult[]; unstable: FileResult[] }> {
  const failed = results.filter((result) => failedTests(result).length > 0);
  const files = new Set(failed.map(({ file }) => file));
  if (results.length < 2 || files.size > most_repeated) return { results: [...results], unstable: [] };
  const decided = results.filter(({ file }) => !files.has(file));
  const unstable: FileResult[] = [];
  for (const file of files) {
    const first = failed.filter((result) => result.file === file);
    const again = await runAgain(file);
    decided.push(...(again.length > 0 ? again : first));
    const passed = again.length > 0 && again.every((result) => failedTests(result).length === 0);
    if (passed) unstable.push(...first);
  }
  return { results: decided, unstable };
}
