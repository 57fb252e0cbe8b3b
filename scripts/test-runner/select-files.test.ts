// Words of the command line select test files; files are grouped by folder.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { groupFiles } from './groups.ts';
import { allTestFiles, quickFiles, selectFiles } from './select-files.ts';

const files = [
  'packages/server/src/features/calls/calls.test.ts',
  'packages/server/src/features/calls/dispatch/chaos.test.ts',
  'packages/server/src/features/webhooks/webhooks.test.ts',
  'test/browser/console-walk.test.ts',
  'test/journeys/start.test.ts',
];

describe('npm test', () => {
  test('without words runs every test file of the project', () => {
    assert.deepEqual(selectFiles(files, []), files);
    assert.ok(allTestFiles().includes('scripts/test-runner/select-files.test.ts'));
    assert.ok(!allTestFiles().some((path) => path.includes('node_modules')));
  });

  test('with words runs the files whose path contains one of them', () => {
    assert.deepEqual(selectFiles(files, ['calls']), files.slice(0, 2));
    assert.deepEqual(selectFiles(files, ['JOURNEYS', 'webhooks']), [files[2], files[4]]);
  });

  test('with a path runs that file, once', () => {
    assert.deepEqual(selectFiles(files, [files[0]!, `./${files[0]}`]), [files[0]]);
  });

  test('refuses an unknown word and names what is near', () => {
    assert.throws(() => selectFiles(files, ['webhoks']), /No test file has "webhoks".*Near names: webhooks/);
    assert.throws(() => selectFiles(files, ['calls', 'zzzzzzzzzzzz']), /"zzzzzzzzzzzz" in its path\.$/);
  });

  test('the quick run leaves out journeys, browsers and chaos, and files that say why in a comment', () => {
    assert.deepEqual(
      quickFiles(files, () => '// A usual test.\n'),
      [files[0], files[2]],
    );
    const speaks = (path: string) => (path === files[0] ? '// Not in the quick run: it speaks.\n' : '');
    assert.deepEqual(quickFiles(files, speaks), [files[2]]);
  });
});

describe('the groups that share a process', () => {
  const folder = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `packages/${name}/file-${index}.test.ts`);
  const sizes = (list: string[], times = {}, alone = (_: string) => false) =>
    groupFiles(list, times, alone).map((group) => group.files.length);

  test('are neighboring files, in a fixed order', () => {
    const files = [...folder('a', 3), ...folder('b', 2)];
    assert.deepEqual(
      groupFiles(files, {}, () => false).map((group) => group.files),
      [files],
    );
  });

  test('end when they have many files', () => {
    const quick = Object.fromEntries(folder('a', 30).map((path) => [path, 10]));
    assert.deepEqual(sizes(folder('a', 30), quick), [24, 6]);
  });

  test('end when they are expected to take long', () => {
    const slow = Object.fromEntries(folder('a', 5).map((path) => [path, 15_000]));
    assert.deepEqual(sizes(folder('a', 5), slow), [2, 2, 1]);
  });

  test('start with the one that took longest', () => {
    const [last] = folder('b', 1);
    const [first] = groupFiles([...folder('a', 3), last!], { [last!]: 60_000 }, () => false);
    assert.deepEqual(first!.files, [last]);
  });

  test('leave out a file that needs its own process', () => {
    assert.deepEqual(
      sizes(folder('a', 3), {}, (path) => path.includes('file-1')),
      [2, 1],
    );
  });
});
