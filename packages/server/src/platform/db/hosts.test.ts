// The URL of the database may name several hosts. test/journeys/failover.test.ts connects to real ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable, openDatabase } from './database.ts';
import { parseDatabaseUrl } from './hosts.ts';
import { sql } from './sql.ts';

test('a URL with one host stays as it is', () => {
  for (const url of ['postgres://u:p@db/parley?sslmode=require', 'postgres:///postgres?host=%2Frun&user=x'])
    assert.deepEqual(parseDatabaseUrl(url), { urls: [url], must_be_writable: false });
});

test('several hosts share user, database and options, and one of them must accept writes', () => {
  const rest = '/parley?sslmode=require';
  assert.deepEqual(parseDatabaseUrl(`postgresql://u:p%40@a:5433,[::1],c${rest}`), {
    urls: [
      `postgresql://u:p%40@a:5433${rest}`,
      `postgresql://u:p%40@[::1]${rest}`,
      `postgresql://u:p%40@c${rest}`,
    ],
    must_be_writable: true,
  });
  assert.deepEqual(parseDatabaseUrl('postgres://a,b/x?target_session_attrs=read-write'), {
    urls: ['postgres://a/x', 'postgres://b/x'],
    must_be_writable: true,
  });
  assert.equal(parseDatabaseUrl('postgres://a/x?target_session_attrs=primary').must_be_writable, true);
});

test('a URL that cannot be used says what is expected', () => {
  assert.throws(() => parseDatabaseUrl('mysql://a/b'), /postgres:\/\//);
  assert.throws(() => parseDatabaseUrl('postgres://a:x,b/c'), /name:port/);
  assert.throws(
    () => parseDatabaseUrl('postgres://a,b/c?target_session_attrs=standby'),
    /read-write, primary or any/,
  );
});

test('when no host can be reached, the error names each of them and not the password', async () => {
  const db = openDatabase({ url: 'postgres://u:hidden@127.0.0.1:1,127.0.0.1:2/x', max_connections: 1 });
  await assert.rejects(db.rows(sql`select 1`), (error: Error) => {
    assert.ok(error instanceof DatabaseUnavailable);
    assert.match(error.message, /127\.0\.0\.1:1: .*; 127\.0\.0\.1:2: /);
    assert.doesNotMatch(error.message, /hidden/);
    return true;
  });
  await db.close();
});
