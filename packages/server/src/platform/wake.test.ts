// Wake-ups between processes, with a real database: delivered after the commit, also after the connection was lost, and
// replaced by polling where notifications do not arrive.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../testing/database.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { openDatabase } from './db/database.ts';
import { sql } from './db/sql.ts';
import { makeLog } from './log.ts';
import { makeWake, type WakeTimes } from './wake.ts';

const { db, url, close } = await openTestDatabase('empty');
/** A second process: its own connections. */
const other_db = openDatabase({ url, max_connections: 2 });
after(async () => {
  await other_db.close();
  await close();
});

const log = makeLog({ level: 'silent', show_personal_data: false });

async function listening(times: Partial<WakeTimes> = {}, on: Parameters<typeof makeWake>[0]['db'] = db) {
  const wake = makeWake({ db: on, log, times });
  const woken: string[] = [];
  const missed = { count: 0 };
  const remove = wake.on('commands', {
    woken: (id) => woken.push(id),
    missed: () => void missed.count++,
  });
  await wake.start();
  return { wake, woken, missed, remove };
}

const backends = () =>
  db.rows<{ pid: number }>(
    sql`select pid from pg_stat_activity where application_name = 'parley wake' and datname = current_database()`,
  );
const killConnection = () =>
  db.run(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley wake' and datname = current_database()`,
  );

test('another process is woken when the transaction commits, and never by one that rolls back', async () => {
  const { wake, woken, remove } = await listening();
  const sender = makeWake({ db: other_db, log });
  await assert.rejects(
    other_db.transaction(async (tx) => {
      await sender.notify(tx, 'commands', 'rolled-back');
      throw new Error('no');
    }),
  );
  await other_db.transaction(async (tx) => {
    await sender.notify(tx, 'commands', 'one');
    // The notification must wait for the commit.
    await db.run(sql`select 1`);
    assert.deepEqual(woken, []);
  });
  await sender.notify(other_db, 'others', 'not for us');
  await sender.notify(other_db, 'commands', 'two');
  await waitFor('both arrive', () => woken.length === 2);
  assert.deepEqual(woken, ['one', 'two']);
  remove();
  await sender.notify(other_db, 'commands', 'three');
  await sender.notify(other_db, 'commands', 'four');
  assert.equal(woken.length, 2);
  wake.stop();
});

test('a killed connection is replaced, and what was missed meanwhile is read', async () => {
  const { wake, woken, missed } = await listening({ poll_ms: 60_000 });
  assert.equal(wake.isListening(), true);
  const [first] = await backends();
  const before = missed.count;
  await killConnection();
  await waitFor('another connection', async () => {
    const [now] = await backends();
    return wake.isListening() && now !== undefined && now.pid !== first!.pid;
  });
  assert.ok(missed.count > before);
  await wake.notify(other_db, 'commands', 'after');
  await waitFor('it arrives', () => woken.includes('after'));
  wake.stop();
  await waitFor('the connection is closed', async () => (await backends()).length === 0);
});

test('without notifications listeners are polled, also when the connection only seems to work', async () => {
  // As a pooler in transaction mode: it accepts LISTEN and delivers nothing.
  const deaf = { run: db.run, listen: (channel: string) => db.listen(channel, () => {}) };
  const { wake, missed } = await listening({ poll_ms: 5, probe_timeout_ms: 20 }, deaf);
  assert.equal(wake.isListening(), false);
  await waitFor('several polls', () => missed.count >= 3);
  wake.stop();
  const stopped_at = missed.count;
  // Another one that polls as often shows that the time for several polls has passed.
  const other = await listening({ poll_ms: 5, probe_timeout_ms: 20 }, deaf);
  await waitFor('several polls of another', () => other.missed.count >= 3);
  other.wake.stop();
  assert.equal(missed.count, stopped_at);
});

test('a connection that stops to deliver is noticed by its probe', async () => {
  const state = { is_deaf: false };
  const half_open = {
    run: db.run,
    listen: (channel: string, received: (payload: string) => void) =>
      db.listen(channel, (payload) => {
        if (!state.is_deaf) received(payload);
      }),
  };
  const { wake } = await listening({ probe_every_ms: 10, probe_timeout_ms: 20 }, half_open);
  assert.equal(wake.isListening(), true);
  state.is_deaf = true;
  await waitFor('the loss is noticed', () => !wake.isListening());
  state.is_deaf = false;
  await waitFor('it listens again', () => wake.isListening());
  wake.stop();
});

test('a start without a database polls, and a stop during an attempt leaves no connection', async () => {
  const broken = {
    run: db.run,
    listen: () => Promise.reject(new Error('no database')),
  };
  const { wake, missed } = await listening({ poll_ms: 5 }, broken);
  await waitFor('a poll', () => missed.count > 0);
  wake.stop();
  const late = makeWake({ db, log });
  const starting = late.start();
  late.stop();
  await starting;
  await waitFor('no connection is left', async () => (await backends()).length === 0);
});
