// A file that fails in the whole run runs once more alone; only a pass there counts, and it is listed as unstable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedTests } from './print.ts';
import { repeatFailed } from './repeat-failed.ts';
import type { FileResult } from './run-process.ts';

const result = (file: string, error: string | null = null): FileResult => ({
  file,
  tests: [{ name: 'a promise', error, skipped: null, duration_ms: 1 }],
  duration_ms: 1,
  cpu_ms: 1,
  output: '',
});
const failures = (results: FileResult[]) =>
  results.filter((each) => failedTests(each).length > 0).map(({ file }) => file);

test('a file that passes alone is unstable, one that fails again is failed', async () => {
  const first = [result('a'), result('b', 'late'), result('c', 'wrong')];
  const repeated: string[] = [];
  const { results, unstable } = await repeatFailed(first, async (file) => {
    repeated.push(file);
    return [result(file, file === 'c' ? 'wrong' : null)];
  });
  assert.deepEqual(repeated, ['b', 'c']);
  assert.deepEqual(failures(results), ['c']);
  assert.deepEqual(
    unstable.map(({ file }) => file),
    ['b'],
  );
  assert.equal(results.length, 3);
});

test('many failures, a single file and a process that reports nothing are not forgiven', async () => {
  const never = async (): Promise<FileResult[]> => assert.fail('must not run again');
  const many = [...'abcdefghi'].map((file) => result(file, 'wrong'));
  assert.equal(failures((await repeatFailed(many, never)).results).length, 9);
  assert.deepEqual(failures((await repeatFailed([result('a', 'wrong')], never)).results), ['a']);
  const silent = await repeatFailed([result('a'), result('b', 'wrong')], async () => []);
  assert.deepEqual(silent.unstable, []);
  assert.deepEqual(failures(silent.results), ['b']);
});
