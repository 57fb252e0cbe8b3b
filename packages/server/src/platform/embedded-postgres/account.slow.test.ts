// The operating system account of the embedded PostgreSQL, and the content of its log.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { chownAll, unusedAccount } from './account.ts';
import { startEmbeddedPostgres } from './index.ts';

const is_root = process.getuid?.() === 0;

function makeFolder(t: { after(done: () => void): void }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-postgres-')));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

const startOn = (data_dir: string) =>
  startEmbeddedPostgres({ data_dir, say: () => {}, settings: { fsync: 'off' } });

async function ask(url: string, sql: string): Promise<object[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

const postmasterPid = (data_dir: string) =>
  Number(readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

test('started by root, the server runs under an account that no other program uses (O7)', {
  timeout: 120_000,
  skip: !is_root && 'only root has to give the server another account',
}, async (t) => {
  const data_dir = makeFolder(t);
  const idsOf = (pid: number) =>
    /^Uid:\t(\d+)\t(\d+)/m
      .exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
      .slice(1)
      .map(Number);
  const owner = () => statSync(join(data_dir, 'postgres')).uid;
  const passwd = readFileSync('/etc/passwd', 'utf8');
  const nobody = Number(/^nobody:[^:]*:(\d+):/m.exec(passwd)![1]);

  const server = await startOn(data_dir);
  const uid = owner();
  try {
    assert.deepEqual(idsOf(postmasterPid(data_dir)), [uid, uid]);
    assert.ok(uid !== 0 && uid !== nobody);
    assert.doesNotMatch(passwd, new RegExp(`^[^:]+:[^:]*:${uid}:`, 'm'));
    await ask(server.url, `create table notes as select 'kept' as body`);
  } finally {
    await server.stop();
  }

  // The owner that an earlier version set.
  await chownAll(join(data_dir, 'postgres'), { uid: nobody, gid: nobody });
  const next = await startOn(data_dir);
  try {
    assert.deepEqual(idsOf(postmasterPid(data_dir)), [uid, uid]);
    assert.deepEqual(await ask(next.url, 'select body from notes'), [{ body: 'kept' }]);
    assert.equal(statSync(join(data_dir, 'postgres', 'base')).uid, uid);
  } finally {
    await next.stop();
  }
});

test('the chosen account does not exist on the system, and differs per folder (O7)', () => {
  const first = unusedAccount({ seed: '/srv/a', passwd: '', group: '' });
  assert.ok(first.uid >= 60_706 && first.uid <= 61_183);
  const passwdWith = (id: number) => `somebody:x:${id}:100::/:/bin/sh\n`;
  const second = unusedAccount({ seed: '/srv/a', passwd: passwdWith(first.uid), group: '' });
  assert.notEqual(second.uid, first.uid);
  const third = unusedAccount({
    seed: '/srv/a',
    passwd: passwdWith(first.uid),
    group: `a:x:${second.gid}:\n`,
  });
  assert.ok(![first.uid, second.uid].includes(third.uid));
  assert.notEqual(unusedAccount({ seed: '/srv/b', passwd: '', group: '' }).uid, first.uid);
});

test('the log of the server has no personal data, also after failed statements (O7)', {
  timeout: 60_000,
}, async (t) => {
  const data_dir = makeFolder(t);
  const server = await startOn(data_dir);
  const log = () => readFileSync(join(server.location, 'postgres.log'), 'utf8');
  try {
    await ask(
      server.url,
      `create table people (email text primary key); insert into people values ('ana@example.com')`,
    );
    const client = new pg.Client(server.url);
    await client.connect();
    const fails = (statement: string, values: string[] = []) =>
      assert.rejects(client.query(statement, values));
    await fails('insert into people values ($1)', ['ana@example.com']);
    await fails(`select 'ana@example.com'::uuid`);
    await fails('select $1::int', ['ana@example.com']);
    await fails(`selekt 'ana@example.com'`);
    await fails(`do $$ begin raise exception 'about ana@example.com'; end $$`);
    await fails(`do $$ begin raise warning 'about ana@example.com'; perform 1/0; end $$`);
    await client.end();
  } finally {
    await server.stop();
  }
  assert.match(log(), /database system is shut down/);
  assert.doesNotMatch(log(), /ana@example\.com/);
});
