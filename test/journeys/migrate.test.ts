// The command migrate brings the database to the schema of this version and ends, for deployments that migrate first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { makeHome } from './process.ts';

test('migrate creates the schema in an empty database, and does nothing the second time', async (t) => {
  const database = await createDatabase();
  const db = openDatabase({ url: database.url, max_connections: 2, query_timeout_ms: 10_000, onError() {} });
  t.after(async () => {
    await db.close();
    await database.drop();
  });
  await db.run(sql`drop schema public, accounts, partitions cascade`);
  await db.run(sql`create schema public`);
  for (let run = 0; run < 2; run++) {
    // No credentials: a migration needs none.
    const migrating = makeHome(t).launch({ DATABASE_URL: database.url }, ['migrate']);
    assert.deepEqual(await migrating.exited, { code: 0, signal: null }, migrating.output());
    assert.match(migrating.output(), /The database has the schema of this version\./);
    assert.equal((await db.rows(sql`select from calls`)).length, 0);
  }
});

test('an unknown command names the known ones', async (t) => {
  const wrong = makeHome(t).launch({}, ['upgrade']);
  assert.equal((await wrong.exited).code, 1);
  assert.match(wrong.output(), /The commands are .*migrate.*\./);
});
