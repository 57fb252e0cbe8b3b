// An operator rotates the master key: every sealed value opens with the new key alone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sealer } from '../../packages/server/src/platform/crypto.ts';
import { rewrapSealed } from '../../packages/server/src/platform/db/rewrap.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { sealed_columns } from '../../packages/server/src/start/sealed-columns.ts';
import { openTestDatabase } from '../../packages/server/testing/database.ts';
import { makeHome, requester } from './process.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));

test('with the embedded database one command creates a new key, re-encrypts everything and deletes the old key', async (t) => {
  const home = makeHome(t);
  const first = await home.start();
  const key = readFileSync(join(home.data_dir, 'shared-key'), 'utf8').trim();
  const ask = requester(first.url, key);
  const set = await ask('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'a-key-that-must-survive',
    params: { base_url: 'http://127.0.0.1:1' },
  });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const sent = await ask('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject: 'Hello',
    body_html: '<p><a href="https://example.com/offer">An offer</a></p>',
    recipient_consent: true,
  });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  const shown = JSON.stringify((await ask('GET', '/v1/sandbox/outbox')).body);
  const link = new RegExp(`${first.url}(/[\\w./-]+)`).exec(shown)?.[1];
  assert.ok(link, shown);
  await first.stop('SIGTERM');

  const file = join(home.data_dir, 'master-key');
  const before = readFileSync(file, 'utf8');
  const { stdout } = await run(process.execPath, [main, 'rotate-master-key'], {
    cwd: home.data_dir,
    env: { PATH: process.env.PATH, PARLEY_DATA_DIR: home.data_dir },
  });
  assert.match(stdout, /Sealed 2 values/);
  const after = readFileSync(file, 'utf8');
  assert.notEqual(after, before);
  assert.ok(!after.includes(before.trim()), 'the old key is deleted');
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const second = await home.start();
  const probe = await requester(second.url, key)('POST', '/v1/providers/llm/test', {});
  assert.equal(probe.status, 200, 'the key opens');
  assert.equal(probe.body.error, 'connection_failed');
  const followed = await fetch(second.url + link, { redirect: 'manual' });
  assert.equal(
    followed.headers.get('location'),
    'https://example.com/offer',
    'tracking links of earlier emails still redirect',
  );
  await second.stop('SIGTERM');
});

test('a value is re-encrypted once, keeps its content, and no longer needs the old key', async () => {
  const { db, close } = await openTestDatabase();
  try {
    const [old_key, new_key] = [
      { id: 'old', key: randomBytes(32) },
      { id: 'new', key: randomBytes(32) },
    ];
    await db.run(sql`create table vault (id int primary key, note_sealed text)`);
    for (let id = 0; id < 3; id++) {
      await db.run(sql`insert into vault values (${id}, ${sealer([old_key]).seal(`note ${id}`, 'vault')})`);
    }
    await db.run(sql`insert into vault values (9, null)`);
    const both = { sealer: sealer([new_key, old_key]), current_key_id: 'new' };
    const columns = [{ table: 'vault', column: 'note_sealed' }];
    assert.equal(await rewrapSealed(db, { ...both, columns }), 3);
    assert.equal(await rewrapSealed(db, { ...both, columns }), 0);
    const rows = await db.rows<{ id: number; note_sealed: string }>(
      sql`select id, note_sealed from vault where note_sealed is not null order by id`,
    );
    for (const row of rows) {
      assert.equal(sealer([new_key]).open(row.note_sealed, 'vault').toString(), `note ${row.id}`);
    }
  } finally {
    await close();
  }
});

test('the command knows every column with sealed values', async () => {
  const { db, close } = await openTestDatabase();
  try {
    const found = await db.rows<{ name: string }>(sql`
      select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name ~ '(_sealed$|^sealed_|private_key)' order by 1`);
    const known = sealed_columns.map(({ table, column }) => `${table}.${column}`).sort();
    assert.deepEqual(found.map(({ name }) => name).sort(), known);
  } finally {
    await close();
  }
});
