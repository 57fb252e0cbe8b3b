// Threads that answer, refuse, die and are closed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ThreadFailed, threadPool } from './thread-pool.ts';

const source = `
  import { answerInThread } from ${JSON.stringify(new URL('./thread-pool.ts', import.meta.url).href)};
  answerInThread(async (question) => {
    if (question === 'die') process.exit(3);
    if (question === 'refuse') throw new Error('no');
    if (question === 'spin') for (;;);
    if (question === 'sleep') return { answer: await new Promise((wake) => setTimeout(wake, 1500, 'rested')) };
    if (question.wait) Atomics.wait(new Int32Array(question.wait), 0, 0);
    return { answer: question.wait ? 'woken' : question * 2 };
  });`;
const file = new URL(`data:text/javascript,${encodeURIComponent(source)}`);

const pools: { close(): Promise<void> }[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));
function pool(options: { threads: number; max_waiting: number; in_flight?: number }) {
  const made = threadPool<unknown, unknown>({ file, ...options });
  pools.push(made);
  return made;
}
/** A question whose answer comes only when the test says so. */
function sleeper() {
  const wait = new SharedArrayBuffer(4);
  const cell = new Int32Array(wait);
  const wake = () => {
    Atomics.store(cell, 0, 1);
    Atomics.notify(cell, 0);
  };
  return { question: { wait }, wake };
}
const reason = (wanted: string) => (error: ThreadFailed) => error.reason === wanted;

test('questions are answered, more of them than there are threads', async () => {
  const { ask } = pool({ threads: 2, max_waiting: 10 });
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map((n) => ask(n))), [2, 4, 6, 8, 10]);
});

test('a question that fails does not end its thread', async () => {
  const { ask } = pool({ threads: 1, max_waiting: 10 });
  await assert.rejects(ask('refuse'), reason('refused'));
  assert.equal(await ask(4), 8);
});

test('when a thread dies its question fails and the next finds a new thread', async () => {
  const { ask } = pool({ threads: 1, max_waiting: 10 });
  await assert.rejects(ask('die'), reason('thread_died'));
  assert.equal(await ask(5), 10);
});

test('a thread that cannot start fails its questions instead of starting for ever', async () => {
  const broken = threadPool({
    file: new URL('data:text/javascript,throw new Error("no weights")'),
    threads: 1,
    max_waiting: 5,
  });
  pools.push(broken);
  await assert.rejects(broken.ask(1), /no weights/);
});

test('a full line refuses, and a line that waits shows its lag', async () => {
  const { ask, lag_ms } = pool({ threads: 1, max_waiting: 1 });
  assert.equal(lag_ms(), 0);
  const { question, wake } = sleeper();
  const first = ask(question);
  const second = ask(1);
  await assert.rejects(ask(2), reason('line_full'));
  assert.ok(lag_ms() > 0);
  wake();
  assert.equal(await first, 'woken');
  assert.equal(await second, 2);
  assert.equal(lag_ms(), 0);
});

test('a question that is no longer wanted leaves the line', async () => {
  const { ask, lag_ms } = pool({ threads: 1, max_waiting: 5 });
  const { question, wake } = sleeper();
  const first = ask(question);
  const unwanted = new AbortController();
  const second = ask(1, { signal: unwanted.signal });
  unwanted.abort(new Error('too late'));
  await assert.rejects(second, /too late/);
  assert.equal(lag_ms(), 0);
  wake();
  await first;
});

test('closing fails what is under way', async () => {
  const closing = pool({ threads: 1, max_waiting: 5 });
  const { question } = sleeper();
  const first = closing.ask(question);
  const refused = assert.rejects(first, reason('closed'));
  await closing.close();
  await refused;
  await assert.rejects(closing.ask(1), reason('closed'));
});

test('a thread that computes for too long is ended and replaced (M2)', async () => {
  const { ask } = pool({ threads: 1, max_waiting: 10 });
  const stuck = ask('spin', { cpu_ms: 100 });
  const next = ask(3);
  await assert.rejects(stuck, reason('stuck'));
  assert.equal(await next, 6);
});

test('a thread that waits for something else is left alone, and answers others meanwhile', async () => {
  const { ask } = pool({ threads: 1, max_waiting: 10, in_flight: 2 });
  let rested = false;
  const resting = ask('sleep', { cpu_ms: 1 }).then((answer) => {
    rested = true;
    return answer;
  });
  assert.equal(await ask(6), 12);
  assert.equal(rested, false);
  assert.equal(await resting, 'rested');
});

test('questions that share a thread with one that computes for too long fail with it', async () => {
  const { ask } = pool({ threads: 1, max_waiting: 10, in_flight: 3 });
  const resting = ask('sleep', { cpu_ms: 100 });
  await Promise.all([
    assert.rejects(resting, reason('stuck')),
    assert.rejects(ask('spin', { cpu_ms: 100 }), reason('stuck')),
  ]);
  assert.equal(await ask(1), 2);
});
