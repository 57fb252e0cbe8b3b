// Jobs run at least once, by one process at a time, also when a process crashes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../testing/database.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { systemClock } from './clock.ts';
import type { Database } from './db/database.ts';
import { sql } from './db/sql.ts';
import { uuidv7Ids } from './ids.ts';
import { type JobHandler, jobs } from './jobs.ts';
import { makeLog } from './log.ts';

const { db, close } = await openTestDatabase();
after(close);
const log = makeLog({ level: 'silent', show_personal_data: false });

/** Simulates another process on the shared database; its clock can be moved. */
function worker(...handlers: JobHandler[]) {
  const clock = systemClock();
  const queue = jobs({ db, clock, ids: uuidv7Ids(clock), log, handlers });
  after(() => queue.stop());
  return { ...queue, clock, later: (seconds: number) => clock.moveTo(clock.offset_ms() + seconds * 1000) };
}

const waiting = async (kind: string) =>
  (await db.maybe<{ count: number }>(sql`select count(*) as count from jobs where kind = ${kind}`))!.count;

test('a job runs once with its payload and is then deleted', async () => {
  const seen: unknown[] = [];
  const one = worker({ kind: 'greet', run: async (job) => void seen.push(job.payload) });
  await one.enqueue(db, { kind: 'greet', payload: { name: 'Ana' } });
  await one.drain();
  await one.drain();
  assert.deepEqual(seen, [{ name: 'Ana' }]);
  assert.equal(await waiting('greet'), 0);
});

test('a job that is rolled back with its transaction never runs', async () => {
  let runs = 0;
  const one = worker({ kind: 'never', run: async () => void runs++ });
  await assert.rejects(
    db.transaction(async (tx) => {
      await one.enqueue(tx, { kind: 'never' });
      throw new Error('no');
    }),
  );
  await one.drain();
  assert.equal(runs, 0);
});

test('many workers share the jobs and run none twice', async () => {
  const done: string[] = [];
  const crowd = Array.from({ length: 4 }, () =>
    worker({ kind: 'share', run: async (job) => void done.push(job.id) }),
  );
  for (let i = 0; i < 40; i++) await crowd[0]!.enqueue(db, { kind: 'share' });
  await Promise.all(crowd.map((each) => each.drain()));
  while ((await waiting('share')) > 0) await Promise.all(crowd.map((each) => each.drain()));
  assert.equal(done.length, 40);
  assert.equal(new Set(done).size, 40);
});

test('a job whose worker crashed is run by another after the lease, and a late result of the first is ignored', async () => {
  const hang = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const dying = worker({
    kind: 'heir',
    run: () => {
      started.resolve();
      return hang.promise;
    },
  });
  let runs = 0;
  const heir = worker({ kind: 'heir', run: async () => void runs++ });
  await dying.enqueue(db, { kind: 'heir' });
  const drained = dying.drain();
  await started.promise;
  await heir.drain();
  assert.equal(runs, 0, 'the lease still holds');
  heir.later(61);
  await heir.drain();
  assert.equal(runs, 1);
  hang.resolve();
  await drained;
  assert.equal(await waiting('heir'), 0);
});

test('a failing job is retried later and fails finally after its last attempt', async () => {
  let runs = 0;
  const one = worker({
    kind: 'fail',
    max_attempts: 3,
    run: async () => {
      runs++;
      throw new Error('not yet');
    },
  });
  await one.enqueue(db, { kind: 'fail' });
  await one.drain();
  await one.drain();
  assert.equal(runs, 1, 'not at once');
  for (let i = 0; i < 5; i++) {
    one.later(600);
    await one.drain();
  }
  assert.equal(runs, 3);
  assert.equal(await waiting('fail'), 0);
});

test('a recurring job exists once however many processes start, and runs again after its interval', async () => {
  let runs = 0;
  const handler: JobHandler = { kind: 'hourly', every_seconds: 3600, run: async () => void runs++ };
  const crowd = [worker(handler), worker(handler)];
  for (const each of crowd) await each.start();
  for (const each of crowd) await each.drain();
  assert.equal(runs, 1);
  assert.equal(await waiting('hourly'), 1);
  for (const each of crowd) each.later(3601);
  for (const each of crowd) await each.drain();
  assert.equal(runs, 2);
});

test('recurring jobs can be delayed: they run first after their interval', async () => {
  let runs = 0;
  const clock = systemClock();
  const handlers = [{ kind: 'later', every_seconds: 60, run: async () => void runs++ }];
  const queue = jobs({ db, clock, ids: uuidv7Ids(clock), log, handlers, delay_recurring: true });
  after(() => queue.stop());
  await queue.start();
  await queue.drain();
  assert.equal(runs, 0);
  clock.moveTo(61_000);
  await queue.drain();
  assert.equal(runs, 1);
});

test('a wake-up during a poll is followed by one more poll, and polls never overlap', async () => {
  let polls = 0;
  let at_once = 0;
  let most_at_once = 0;
  let gate = Promise.resolve();
  const rows: Database['rows'] = async (query) => {
    polls++;
    most_at_once = Math.max(most_at_once, ++at_once);
    await gate;
    return db.rows<never>(query).finally(() => at_once--);
  };
  const clock = systemClock();
  const queue = jobs({ db: { ...db, rows }, clock, ids: uuidv7Ids(clock), log, handlers: [] });
  after(() => queue.stop());
  await queue.start();
  await waitFor('the first poll has ended', () => polls === 1 && at_once === 0);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  await waitFor('the second poll has begun', () => polls === 2);
  for (let i = 0; i < 3; i++) queue.wake();
  held.resolve();
  await waitFor('the third poll has ended', () => polls >= 3 && at_once === 0);
  assert.equal(most_at_once, 1);
});

test('slow jobs of one lane do not delay the jobs of another, and are limited in number', async () => {
  const open = Promise.withResolvers<void>();
  after(() => open.resolve());
  let started = 0;
  const slow: JobHandler = {
    kind: 'think',
    lane: 'agents',
    run() {
      started++;
      return open.promise;
    },
  };
  let quick_runs = 0;
  const one = worker(slow, { kind: 'quick', run: async () => void quick_runs++ });
  await one.start();
  for (let i = 0; i < 10; i++) await one.enqueue(db, { kind: 'think' });
  await waitFor('the lane is full', () => started === 8);
  await one.enqueue(db, { kind: 'quick' });
  await waitFor('the quick job has run', () => quick_runs === 1);
  assert.equal(started, 8);
  open.resolve();
  await waitFor('the others have run', () => started === 10);
});

test('a job that is replaced while it runs is outdated, and runs again with the new payload', async () => {
  const began = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const current = new Map<unknown, boolean>();
  const seen: unknown[] = [];
  const one = worker({
    kind: 'debounce',
    async run(job) {
      seen.push(job.payload.text);
      if (seen.length === 1) {
        began.resolve();
        await goOn.promise;
      }
      await db.transaction(async (tx) => void current.set(job.payload.text, await one.isCurrent(tx, job)));
    },
  });
  const enqueue = (text: string) =>
    one.enqueue(db, { kind: 'debounce', payload: { text }, unique_key: 'debounce:1', replace: true });
  await enqueue('first');
  const drained = one.drain();
  await began.promise;
  await enqueue('second');
  goOn.resolve();
  await drained;
  await one.drain();
  assert.deepEqual(seen, ['first', 'second']);
  assert.deepEqual(Object.fromEntries(current), { first: false, second: true });
  assert.equal(await waiting('debounce'), 0);
});

test('a job of the agents starts when it is due, although polls are a second apart', async () => {
  const ran = Promise.withResolvers<number>();
  const one = worker({ kind: 'punctual', lane: 'agents', run: async () => ran.resolve(one.clock.ms()) });
  await one.start();
  const due = one.clock.ms() + 1300;
  await one.enqueue(db, { kind: 'punctual', run_at: new Date(due) });
  assert.ok((await ran.promise) >= due);
});
