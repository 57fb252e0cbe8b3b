// A job that ends its process is set aside after the second time, and the others go on. Real processes die here.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { openTestDatabase } from '../../testing/database.ts';
import { startProcess } from '../../testing/dying-process.ts';
import { systemClock } from './clock.ts';
import { sql } from './db/sql.ts';
import { uuidv7Ids } from './ids.ts';
import { type JobHandler, jobs } from './jobs.ts';
import { makeLog } from './log.ts';

const { db, url, close } = await openTestDatabase();
after(close);
const log = makeLog({ level: 'silent', show_personal_data: false });

type Entry = { kind: string; reason: string; lost_runs: number; failed_runs: number; last_error: string };
const setAside = () =>
  db.rows<Entry>(sql`
    select kind, reason, lost_runs, failed_runs, last_error from set_aside_work order by kind`);
const waiting = () => db.rows<{ kind: string }>(sql`select kind from jobs order by kind`);

beforeEach(async () => {
  await db.run(sql`delete from jobs`);
  await db.run(sql`delete from set_aside_work`);
});

function worker(handlers: JobHandler[]) {
  const clock = systemClock();
  const counted: string[] = [];
  const queue = jobs({
    db,
    clock,
    ids: uuidv7Ids(clock),
    log,
    handlers,
    countSetAside: (queue, reason) => counted.push(`${queue} ${reason}`),
  });
  after(() => queue.stop());
  return { ...queue, counted, later: (seconds: number) => clock.moveTo(clock.offset_ms() + seconds * 1000) };
}
const enqueueing = worker([]);
const enqueue = (kind: string) => enqueueing.enqueue(db, { kind, payload: { text: kind } });

/** A process with the real queue. The leases of its predecessors are over for it. */
function queueProcess(handlers: string) {
  later_ms += 3_600_000;
  return startProcess(
    `
    import { systemClock } from './src/platform/clock.ts';
    import { openDatabase } from './src/platform/db/database.ts';
    import { uuidv7Ids } from './src/platform/ids.ts';
    import { jobs } from './src/platform/jobs.ts';
    import { makeLog } from './src/platform/log.ts';
    const hang = () => new Promise(() => setInterval(() => {}, 1000));
    const say = (text) => process.stdout.write(text + '\\n');
    const db = openDatabase({ url: process.argv[1], max_connections: 4 });
    const clock = systemClock();
    clock.moveTo(Number(process.argv[2]));
    const log = makeLog({ level: 'silent', show_personal_data: false });
    const handlers = ${handlers};
    const queue = jobs({ db, clock, ids: uuidv7Ids(clock), log, handlers });
    process.on('SIGTERM', async () => {
      await queue.stop(AbortSignal.abort());
      await db.close();
      process.exit(0);
    });
    await queue.start();
    await queue.drain();
    say('idle');
    await queue.stop();
    await db.close();
    `,
    url,
    String(later_ms),
  );
}
let later_ms = 0;

describe('a job that ends its process', () => {
  test('F2: is set aside after two starts, and never starts again', async () => {
    await enqueue('deadly');
    const source = `[{ kind: 'deadly', max_attempts: 3, run: async () => { say('run'); process.exit(7); } }]`;
    let runs = 0;
    const codes: (number | null)[] = [];
    for (let start = 0; start < 4; start++) {
      const process = queueProcess(source);
      codes.push((await process.exited).code);
      runs += process.lines.filter((line) => line === 'run').length;
    }
    assert.deepEqual([runs, codes], [2, [7, 7, 0, 0]]);
    assert.deepEqual(await setAside(), [
      {
        kind: 'deadly',
        reason: 'process_ended',
        lost_runs: 2,
        failed_runs: 0,
        last_error: 'The process ended, or lost its lease, while this ran.',
      },
    ]);
    assert.deepEqual(await waiting(), []);
  });

  test('F2: takes no other job with it, also when they ran beside it both times and the process was killed', async () => {
    for (const kind of ['calm', 'deadly', 'slow']) await enqueue(kind);
    const source = `[
      { kind: 'calm', run: async () => { if (process.argv[2] === '${later_ms + 3_600_000}') await hang(); } },
      { kind: 'slow', run: async () => { if (process.argv[2] === '${later_ms + 3_600_000}') await hang(); } },
      { kind: 'deadly', run: async () => { say('deadly'); await hang(); } },
    ]`;
    let deaths = 0;
    for (let start = 0; start < 6; start++) {
      const process = queueProcess(source);
      const first = await Promise.race([process.prints('deadly'), process.prints('idle')]);
      if (first === 'idle') break;
      process.kill('SIGKILL');
      assert.equal((await process.exited).signal, 'SIGKILL');
      deaths++;
    }
    assert.equal(deaths, 2);
    assert.deepEqual(
      (await setAside()).map(({ kind }) => kind),
      ['deadly'],
    );
    assert.deepEqual(await waiting(), []);
  });

  test('F2: a clean stop gives the start back, however often it cuts the job', async () => {
    await enqueue('long');
    for (let start = 0; start < 4; start++) {
      const process = queueProcess(`[{ kind: 'long', run: async () => { say('run'); await hang(); } }]`);
      await process.prints('run');
      process.kill('SIGTERM');
      assert.equal((await process.exited).code, 0);
    }
    assert.deepEqual(await setAside(), []);
    assert.deepEqual(await waiting(), [{ kind: 'long' }]);
  });

  test('F2: a recurring job is set aside after five starts in a row, and starts of the service do not bring it back', async () => {
    const source = `[{ kind: 'often', every_seconds: 60, run: async () => { say('run'); process.exit(7); } }]`;
    let runs = 0;
    for (let start = 0; start < 8; start++) {
      const process = queueProcess(source);
      await process.exited;
      runs += process.lines.filter((line) => line === 'run').length;
    }
    assert.equal(runs, 5);
    assert.deepEqual(
      (await setAside()).map(({ kind, lost_runs }) => [kind, lost_runs]),
      [['often', 5]],
    );
  });
});

describe('a job that fails', () => {
  test('F2: in every attempt is kept, with its last error but without the addresses in it', async () => {
    const failing = worker([
      {
        kind: 'failing',
        max_attempts: 3,
        run: () => Promise.reject(new Error('no answer from ana@example.com, +1 500 555 0100')),
      },
    ]);
    await failing.enqueue(db, { kind: 'failing' });
    for (let i = 0; i < 4; i++) {
      await failing.drain();
      failing.later(600);
    }
    assert.deepEqual(await setAside(), [
      {
        kind: 'failing',
        reason: 'failed',
        lost_runs: 0,
        failed_runs: 3,
        last_error: 'Error: no answer from [address], [number]',
      },
    ]);
    assert.deepEqual(failing.counted, ['jobs failed']);
  });

  test('F2: a run that outlived its leases and then ended well leaves no entry', async () => {
    const release = Promise.withResolvers<void>();
    const runs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const drains: Promise<void>[] = [];
    for (const [index, began] of runs.entries()) {
      const run = () => {
        began.resolve();
        return release.promise;
      };
      const slow = worker([{ kind: 'late', run }]);
      if (index === 0) await slow.enqueue(db, { kind: 'late' });
      slow.later(3600 * index);
      drains.push(slow.drain());
      await began.promise;
    }
    const last = worker([{ kind: 'late', run: () => assert.fail('it ran a third time') }]);
    last.later(3 * 3600);
    await last.drain();
    assert.deepEqual(
      (await setAside()).map(({ kind, lost_runs }) => [kind, lost_runs]),
      [['late', 2]],
    );
    release.resolve();
    await Promise.all(drains);
    assert.deepEqual(await setAside(), []);
  });
});
