// Words of the command line select test files; long files start first, and most share a process.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextProcess, orderFiles } from './order-files.ts';
import { allTestFiles, isSlow, selectFiles } from './select-files.ts';

const files = [
  'packages/server/src/features/channels/calls/calls.test.ts',
  'packages/server/src/features/channels/calls/dispatch/chaos.slow.test.ts',
  'packages/server/src/features/operations/webhooks/webhooks.test.ts',
  'test/browser/console-walk.test.ts',
  'test/journeys/start.test.ts',
];

const [calls, chaos, webhooks, browser, journey] = files as [string, string, string, string, string];
const all = (words: string[]) => selectFiles(files, words, { all: true }).files;
const fast = (words: string[]) => selectFiles(files, words, { all: false });

describe('npm run test:all', () => {
  test('without words runs every test file of the project', () => {
    assert.deepEqual(all([]), files);
    assert.ok(allTestFiles().includes('scripts/test-runner/select-files.test.ts'));
    assert.ok(!allTestFiles().some((path) => path.includes('node_modules')));
  });

  test('with words runs the files whose path contains one of them', () => {
    assert.deepEqual(all(['calls']), [calls, chaos]);
    assert.deepEqual(all(['JOURNEYS', 'webhooks']), [webhooks, journey]);
  });

  test('with a path runs that file, once', () => {
    assert.deepEqual(all([calls, `./${calls}`]), [calls]);
  });

  test('refuses an unknown word and names what is near', () => {
    assert.throws(() => all(['webhoks']), /No test file has "webhoks".*Near names: webhooks/);
    assert.throws(() => all(['calls', 'zzzzzzzzzzzz']), /"zzzzzzzzzzzz" in its path\.$/);
  });
});

describe('npm test', () => {
  test('leaves out journeys, browsers and the files whose name says that they are slow, and names them', () => {
    assert.deepEqual(fast([]), { files: [calls, webhooks], left_out: [chaos, browser, journey] });
    assert.deepEqual(fast(['calls']), { files: [calls], left_out: [chaos] });
  });

  test('runs a slow file by its path, and says how to run slow files by a word', () => {
    assert.deepEqual(fast([chaos]), { files: [chaos], left_out: [] });
    assert.throws(() => fast(['journeys']), /npm run test:all -- journeys$/);
  });

  test('has the guards, and no test that kills processes', () => {
    const files = allTestFiles();
    assert.ok(files.filter((path) => path.startsWith('test/guards/')).length > 20);
    assert.deepEqual(
      files.filter((path) => /chaos|killed/.test(path) && !isSlow(path)),
      [],
    );
  });
});

describe('the order of the files', () => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, index) => `packages/file-${index}.test.ts`);
  const filesOf = (next: (() => string | undefined) | null) => {
    const taken: string[] = [];
    for (let file = next?.(); file !== undefined; file = next?.()) taken.push(file);
    return taken;
  };

  test('starts with the one that took longest', () => {
    const [a, b, c] = list(3) as [string, string, string];
    const { shared } = orderFiles([a, b, c], { [a]: 10, [b]: 60_000, [c]: 500 }, () => false);
    assert.deepEqual(shared, [b, c, a]);
  });

  test('starts journeys before files that were never measured', () => {
    const order = orderFiles(['packages/a.test.ts', 'test/journeys/start.test.ts'], {}, (path) =>
      path.startsWith('test/journeys'),
    );
    assert.deepEqual(order, { alone: ['test/journeys/start.test.ts'], shared: ['packages/a.test.ts'] });
    assert.deepEqual(filesOf(nextProcess(order, 'alone')), ['test/journeys/start.test.ts']);
    assert.deepEqual(filesOf(nextProcess(order, 'alone')), ['packages/a.test.ts']);
    assert.equal(nextProcess(order, 'alone'), null);
  });

  test('runs files of their own process beside the shared ones', () => {
    const queue = () => ({ alone: ['a'], shared: ['b'] });
    const inOrder = (first: 'alone' | 'shared') => {
      const given = queue();
      return [1, 2].map(() => filesOf(nextProcess(given, first)));
    };
    assert.deepEqual(inOrder('alone'), [['a'], ['b']]);
    assert.deepEqual(inOrder('shared'), [['b'], ['a']]);
  });

  test('gives each of the shared files to one of the processes that run at the same time', () => {
    const files = list(5);
    const queue = { alone: [], shared: [...files] };
    const [one, other] = [nextProcess(queue, 'alone')!, nextProcess(queue, 'alone')!];
    assert.deepEqual([one(), other(), one(), other(), one(), other()], [...files, undefined]);
  });

  test('starts another process after many files', () => {
    const queue = { alone: [], shared: list(200) };
    assert.deepEqual(
      [1, 2, 3].map(() => filesOf(nextProcess(queue, 'alone')).length),
      [80, 80, 40],
    );
  });

  test('leaves a file alone that says so', () => {
    const { alone } = orderFiles(list(3), {}, (path) => path.includes('file-1'));
    assert.deepEqual(alone, ['packages/file-1.test.ts']);
  });
});
