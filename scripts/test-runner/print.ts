// Prints results: one line per file while the tests run, and a summary at the end.
import type { FileResult } from './run-process.ts';
import { isSlow } from './select-files.ts';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const indented = (text: string) => text.trimEnd().replaceAll(/^/gm, '      ');

const firstLines = (text: string | null) => (text ?? '').split('\n').slice(0, 6).join('\n');

export const failedTests = (result: FileResult) => result.tests.filter(({ error }) => error !== null);
export const skippedTests = (result: FileResult) => result.tests.filter(({ skipped }) => skipped !== null);

export function printFile(result: FileResult, verbose: boolean): void {
  const failed = failedTests(result);
  const mark = failed.length > 0 ? '✖' : '✔';
  const skipped = skippedTests(result).length;
  const counts = `${result.tests.length} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  console.log(`${mark} ${result.file} (${counts}, ${seconds(result.duration_ms)})`);
  for (const { name, error, skipped: reason } of result.tests) {
    if (error !== null) console.log(`    ✖ ${name}\n${indented(error)}`);
    else if (verbose) console.log(reason === null ? `    ✔ ${name}` : `    - ${name} (skipped: ${reason})`);
  }
  if (result.output.trim() !== '' && (failed.length > 0 || verbose))
    console.log(`    output of the process:\n${indented(result.output)}`);
}

const failureLines = (results: readonly FileResult[]): string[] =>
  results.flatMap((result) =>
    failedTests(result).map(
      ({ name, error }) => `  ✖ ${result.file}: ${name}\n${indented(firstLines(error))}`,
    ),
  );

export function printSummary(
  results: readonly FileResult[],
  unstable: readonly FileResult[],
  duration_ms: number,
): void {
  const tests = results.flatMap((result) => result.tests);
  printSlowest(results);
  printSkipped(results);
  const failed = failureLines(results);
  const skipped = tests.filter((each) => each.skipped !== null).length;
  const cpu_ms = results.reduce((sum, result) => sum + result.cpu_ms, 0);
  if (unstable.length > 0)
    console.log(
      `\nUnstable tests, failed in the whole run and passed alone:\n${failureLines(unstable).join('\n')}`,
    );
  if (failed.length > 0) console.log(`\nFailed tests:\n${failed.join('\n')}`);
  console.log(
    `\n${results.length} files, ${tests.length} tests: ${tests.length - failed.length - skipped} passed, ` +
      `${failed.length} failed, ${skipped} skipped, in ${seconds(duration_ms)} ` +
      `(${seconds(cpu_ms)} of processor time in test processes)`,
  );
}

function printSlowest(results: readonly FileResult[]): void {
  if (results.length < 2) return;
  console.log('\nSlowest files (seconds, processor seconds):');
  for (const { file, duration_ms, cpu_ms } of results
    .toSorted((a, b) => b.duration_ms - a.duration_ms)
    .slice(0, 15))
    console.log(
      `  ${(duration_ms / 1000).toFixed(1).padStart(6)} ${(cpu_ms / 1000).toFixed(1).padStart(6)}  ${file}`,
    );
}

/** Processor time of one file. Machines differ, and the first file of a process also loads the sources. */
const too_slow_ms = 5000;

/** The fast tests stay fast only if such files leave them, or become faster. */
export function printSlow(results: readonly FileResult[]): void {
  const slow = results.filter(({ file, cpu_ms }) => cpu_ms > too_slow_ms && !isSlow(file));
  if (slow.length === 0) return;
  console.log('\nToo slow for npm test (make them faster, or rename them to *.slow.test.ts):');
  for (const { file, cpu_ms } of slow) console.log(`  ${seconds(cpu_ms)} of processor time  ${file}`);
}

export function printLeftOut(left_out: readonly string[], words: readonly string[]): void {
  if (left_out.length === 0) return;
  const command = ['npm run test:all', ...(words.length > 0 ? ['--', ...words] : [])].join(' ');
  console.log(`${left_out.length} slow files did not run: ${command}`);
}

/** Grouped by reason: a missing program skips many tests at once. */
function printSkipped(results: readonly FileResult[]): void {
  const reasons = Map.groupBy(results.flatMap(skippedTests), ({ skipped }) => skipped!);
  if (reasons.size === 0) return;
  console.log('\nSkipped tests:');
  for (const [reason, tests] of reasons) console.log(`  ${tests.length} × ${reason}`);
}
