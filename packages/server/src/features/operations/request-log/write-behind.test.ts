// What a log that is written behind the requests keeps, in how many writes, and what it drops.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { writeBehind } from './write-behind.ts';

const delay_ms = 500;

/** A writer whose writes end when the test says so. */
function openLog(t: TestContext, limits: { max_waiting?: number; max_batch?: number } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const writes: { rows: number[]; end(): void; fail(): void }[] = [];
  let dropped = 0;
  const log = writeBehind<number>({
    write: (rows) =>
      new Promise<void>((end, reject) => {
        writes.push({ rows: [...rows], end, fail: () => reject(new Error('connection lost')) });
      }),
    dropped: (count = 1) => {
      dropped += count;
    },
    max_waiting: limits.max_waiting ?? 100,
    max_batch: limits.max_batch ?? 10,
    delay_ms,
  });
  const addAll = (...rows: number[]) => {
    for (const row of rows) log.add(row);
  };
  return { log, writes, addAll, droppedRows: () => dropped, rowsOf: () => writes.map(({ rows }) => rows) };
}

/** Lets the promises that are due continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('rows are written together after the delay, and those that come in during a write after the next one', async (t) => {
  const { writes, addAll, rowsOf } = openLog(t);
  addAll(1, 2);
  assert.deepEqual(rowsOf(), []);
  t.mock.timers.tick(delay_ms);
  assert.deepEqual(rowsOf(), [[1, 2]]);

  addAll(3);
  writes[0]!.end();
  await settle();
  addAll(4);
  assert.deepEqual(rowsOf(), [[1, 2]]);
  t.mock.timers.tick(delay_ms);
  assert.deepEqual(rowsOf(), [
    [1, 2],
    [3, 4],
  ]);
});

test('a full batch is written at once, also directly after another one', async (t) => {
  const { writes, addAll, rowsOf } = openLog(t, { max_batch: 2 });
  addAll(1, 2, 3, 4, 5);
  assert.deepEqual(rowsOf(), [[1, 2]]);
  writes[0]!.end();
  await settle();
  assert.deepEqual(rowsOf(), [
    [1, 2],
    [3, 4],
  ]);
  writes[1]!.end();
  await settle();
  assert.equal(writes.length, 2);
});

test('a flush ends when what was added before is written, and does not wait for later rows', async (t) => {
  const { log, writes, addAll, rowsOf } = openLog(t, { max_batch: 2 });
  addAll(1, 2, 3);
  let flushed = false;
  const flushing = log.flush().then(() => {
    flushed = true;
  });
  writes[0]!.end();
  await settle();
  assert.deepEqual(rowsOf(), [[1, 2], [3]]);
  addAll(4);
  assert.equal(flushed, false);
  writes[1]!.end();
  await flushing;
  assert.equal(writes.length, 2);
});

test('rows of a failed write and rows above the limit are dropped and counted', async (t) => {
  const { log, writes, addAll, droppedRows, rowsOf } = openLog(t, { max_waiting: 3 });
  addAll(1, 2, 3, 4);
  assert.equal(droppedRows(), 1);
  const flushing = log.flush();
  writes[0]!.fail();
  await flushing;
  assert.equal(droppedRows(), 4);
  addAll(5);
  t.mock.timers.tick(delay_ms);
  assert.deepEqual(rowsOf(), [[1, 2, 3], [5]]);
});
