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

  test('the quick run leaves out journeys, browsers and chaos', () => {
    assert.deepEqual(quickFiles(files), [files[0], files[2]]);
  });
});

describe('the groups that share a process', () => {
  const folder = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `packages/${name}/file-${index}.test.ts`);
  const sizes = (list: string[], times = {}, alone = (_: string) => false) =>
    groupFiles(list, times, alone).map((group) => group.files.length);

  test('are the files of one folder, in a fixed order', () => {
    const [group] = groupFiles(folder('a', 3), {}, () => false);
    assert.deepEqual(group!.files, folder('a', 3));
  });

  test('are divided evenly when a folder has many files', () => {
    assert.deepEqual(sizes(folder('a', 17)), [6, 6, 5]);
  });

  test('start with the one that took longest', () => {
    const [first] = groupFiles(
      [...folder('a', 3), ...folder('b', 1)],
      { [folder('b', 1)[0]!]: 60_000 },
      () => false,
    );
    assert.deepEqual(first!.files, folder('b', 1));
  });

  test('hold a file alone that needs its own process', () => {
    assert.deepEqual(
      sizes(folder('a', 3), {}, (path) => path.includes('file-1')),
      [2, 1],
    );
  });
});
