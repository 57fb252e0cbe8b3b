// The thread pool: tasks that succeed, fail, crash their thread, block it or are canceled.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ThreadFailed, threadPool } from './thread-pool.ts';

const source = `
  import { handleTasks } from ${JSON.stringify(new URL('./thread-pool.ts', import.meta.url).href)};
  handleTasks(async (task) => {
    if (task === 'crash') process.exit(3);
    if (task === 'fill') for (const all = []; ; ) all.push({ at: all.length, next: { at: all.length } });
    if (task === 'fail') throw new Error('no');
    if (task === 'spin') for (;;);
    // Fixed wait: the time limit counts processor time, so a task that only sleeps must outlast it.
    if (task === 'sleep') return { result: await new Promise((wake) => setTimeout(wake, 1500, 'rested')) };
    if (task.wait) Atomics.wait(new Int32Array(task.wait), 0, 0);
    return { result: task.wait ? 'woken' : task * 2 };
  });`;
const file = new URL(`data:text/javascript,${encodeURIComponent(source)}`);

const pools: { close(): Promise<void> }[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));
function pool(options: { threads: number; max_waiting: number; in_flight?: number; heap_mb?: number }) {
  const opened = threadPool<unknown, unknown>({ name: 'test', file, ...options });
  pools.push(opened);
  return opened;
}
/** A task that ends only when the test wakes it. */
function sleeper() {
  const wait = new SharedArrayBuffer(4);
  const cell = new Int32Array(wait);
  const wake = () => {
    Atomics.store(cell, 0, 1);
    Atomics.notify(cell, 0);
  };
  return { task: { wait }, wake };
}
const reason = (expected: string) => (error: ThreadFailed) => error.reason === expected;

test('all tasks are done, also when there are more tasks than threads', async () => {
  const { run } = pool({ threads: 2, max_waiting: 10 });
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map((n) => run(n))), [2, 4, 6, 8, 10]);
});

test('a task that fails does not end its thread', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10 });
  await assert.rejects(run('fail'), reason('task_failed'));
  assert.equal(await run(4), 8);
});

test('when a thread crashes, its task fails and the next task gets a new thread', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10 });
  await assert.rejects(run('crash'), reason('thread_crashed'));
  assert.equal(await run(5), 10);
});

test('a thread that cannot start fails its tasks and is not started again and again', async () => {
  const broken = threadPool({
    name: 'broken',
    file: new URL('data:text/javascript,throw new Error("no weights")'),
    threads: 1,
    max_waiting: 5,
  });
  pools.push(broken);
  await assert.rejects(broken.run(1), /no weights/);
});

test('a full queue refuses tasks, and a waiting queue reports its lag', async () => {
  const { run, lag_ms } = pool({ threads: 1, max_waiting: 1 });
  assert.equal(lag_ms(), 0);
  const { task, wake } = sleeper();
  const first = run(task);
  const second = run(1);
  await assert.rejects(run(2), reason('queue_full'));
  assert.ok(lag_ms() > 0);
  wake();
  assert.equal(await first, 'woken');
  assert.equal(await second, 2);
  assert.equal(lag_ms(), 0);
});

test('an aborted task leaves the queue', async () => {
  const { run, lag_ms } = pool({ threads: 1, max_waiting: 5 });
  const { task, wake } = sleeper();
  const first = run(task);
  const aborted = new AbortController();
  const second = run(1, { signal: aborted.signal });
  aborted.abort(new Error('canceled'));
  await assert.rejects(second, /canceled/);
  assert.equal(lag_ms(), 0);
  wake();
  await first;
});

test('closing the pool fails running tasks', async () => {
  const closing = pool({ threads: 1, max_waiting: 5 });
  const { task } = sleeper();
  const first = closing.run(task);
  const refused = assert.rejects(first, reason('closed'));
  await closing.close();
  await refused;
  await assert.rejects(closing.run(1), reason('closed'));
});

test('a thread that computes for too long is terminated and replaced (M2)', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10 });
  const stuck = run('spin', { cpu_ms: 100 });
  const next = run(3);
  await assert.rejects(stuck, reason('stuck'));
  assert.equal(await next, 6);
});

test('a thread that waits for a timer is not terminated, and does other tasks meanwhile', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10, in_flight: 2 });
  let rested = false;
  const resting = run('sleep', { cpu_ms: 1 }).then((result) => {
    rested = true;
    return result;
  });
  assert.equal(await run(6), 12);
  assert.equal(rested, false);
  assert.equal(await resting, 'rested');
});

test('tasks that share a thread with a task that computes for too long fail with it', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10, in_flight: 3 });
  const resting = run('sleep', { cpu_ms: 100 });
  await Promise.all([
    assert.rejects(resting, reason('stuck')),
    assert.rejects(run('spin', { cpu_ms: 100 }), reason('stuck')),
  ]);
  assert.equal(await run(1), 2);
});

test('S1: those who have tasks in the queue take turns, so many tasks of one do not delay the others', async () => {
  const { run } = pool({ threads: 1, max_waiting: 20 });
  const { task, wake } = sleeper();
  const first = run(task);
  const order: string[] = [];
  const named = (turn: string) => run(1, { turn }).then(() => void order.push(turn));
  const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(named);
  wake();
  await Promise.all([first, ...all]);
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

test('S1: a task that ends the only thread fails alone: the tasks of others wait for the next thread', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10 });
  assert.equal(await run(1), 2);
  const crashed = run('crash', { turn: 'a' });
  const others = [run(2, { turn: 'b' }), run(3, { turn: 'c' })];
  await assert.rejects(crashed, reason('thread_crashed'));
  assert.deepEqual(await Promise.all(others), [4, 6]);
});

test('S1: a task that fills the memory of its thread ends the thread, and not the process', async () => {
  const { run } = pool({ threads: 1, max_waiting: 10, heap_mb: 32 });
  assert.equal(await run(1), 2);
  await assert.rejects(run('fill'), reason('thread_crashed'));
  assert.equal(await run(2), 4);
});
