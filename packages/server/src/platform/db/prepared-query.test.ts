// Prepared queries return the same as the driver's own queries, and a failure does not close the connection.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { openTestDatabase } from '../../../testing/database.ts';
import { openDatabase } from './database.ts';
import { sql } from './sql.ts';

const { db, url, close } = await openTestDatabase('empty');
const one = openDatabase({ url, max_connections: 1 });
after(async () => {
  await one.close();
  await close();
});
await db.run(
  sql`create table records (id int primary key, note text, at timestamptz, tags text[], bytes bytea)`,
);

describe('a prepared statement', () => {
  test('returns every value unchanged, on the first run and later', async () => {
    const at = new Date('2026-06-06T12:34:56.789Z');
    for (const note of ['', 'nöte 🙂 "and" \\ {more}', null, undefined]) {
      const row = await one.maybe(sql`
        select ${note}::text as note, ${7}::int as number, ${1.5}::float8 as part, ${true}::boolean as yes, ${at}::timestamptz as at,
               ${['a', null, 'b c', 'null']}::text[] as tags, ${'{"a":[1]}'}::json as data, ${9007199254740991}::bigint as large`);
      assert.deepEqual(row, {
        note: note ?? null,
        number: 7,
        part: 1.5,
        yes: true,
        at,
        tags: ['a', null, 'b c', 'null'],
        data: { a: [1] },
        large: 9007199254740991,
      });
    }
  });

  test('passes bytes and objects to the driver, also for a statement that was prepared before', async () => {
    const echo = (value: unknown) => one.maybe(sql`select ${value}::text as value`);
    assert.deepEqual(await echo('x'), { value: 'x' });
    assert.deepEqual(await echo({ a: 1 }), { value: '{"a":1}' });
    assert.deepEqual(await echo('y'), { value: 'y' });
    const bytes = (value: unknown) => one.maybe(sql`select ${value}::bytea as bytes`);
    assert.deepEqual(await bytes(Buffer.from([0, 255])), { bytes: Buffer.from([0, 255]) });
    assert.deepEqual(await bytes('\\x00ff'), { bytes: Buffer.from([0, 255]) });
  });

  test('returns the number of changed rows, with and without RETURNING', async () => {
    const add = (from: number, to: number) =>
      sql`insert into records (id) select generate_series(${from}::int, ${to}::int)`;
    assert.equal(await one.run(add(1, 3)), 3);
    assert.equal(await one.run(add(4, 5)), 2);
    const change = (id: number) => sql`update records set note = 'w' where id > ${id} returning id, note`;
    assert.deepEqual(await one.rows(change(3)), [
      { id: 4, note: 'w' },
      { id: 5, note: 'w' },
    ]);
    assert.deepEqual(await one.rows(change(5)), []);
    assert.equal(await one.run(change(4)), 1);
  });

  test('that fails reports the reason, and the next one on the connection works', async () => {
    const divide = (by: number) => one.maybe(sql`select 6 / ${by}::int as result`);
    await assert.rejects(divide(0), { code: '22012' });
    assert.deepEqual(await divide(3), { result: 2 });
    await assert.rejects(divide(0), { code: '22012' });
    assert.deepEqual(await divide(2), { result: 3 });
    const absent = () => one.maybe(sql`select * from absent where id = ${1}`);
    await assert.rejects(absent(), { code: '42P01' });
    await one.run(sql`create table absent (id int, note text)`);
    assert.equal(await absent(), null);
    await assert.rejects(one.maybe(sql`select ${'no number'}::int as number`), { code: '22P02' });
    assert.deepEqual(await divide(1), { result: 6 });
  });

  test('uses the columns of its own connection, which may be newer than those of another', async () => {
    const read = (from: typeof one) => from.maybe(sql`select * from records where id = ${1}`);
    const before = await read(one);
    await db.run(sql`alter table records add column more text default 'm'`);
    const newer = openDatabase({ url, max_connections: 1 });
    assert.deepEqual(await read(newer), { ...before, more: 'm' });
    await newer.close();
  });

  test('that exceeds its timeout fails as DatabaseUnavailable', async () => {
    const hasty = openDatabase({ url, max_connections: 1, query_timeout_ms: 50 });
    await assert.rejects(hasty.maybe(sql`select pg_sleep(${5})`), { name: 'DatabaseUnavailable' });
    assert.deepEqual(await hasty.maybe(sql`select ${'x'}::text as value`), { value: 'x' });
    await hasty.close();
  });

  test('that gets no response fails, and its connection is closed', async () => {
    const { hostname, port } = new URL(url);
    let is_silent = false;
    const between = createServer((client) => {
      const server = connect(Number(port), hostname);
      client.on('data', (bytes) => is_silent || server.write(bytes));
      server.on('data', (bytes) => is_silent || client.write(bytes));
      for (const socket of [client, server]) socket.on('error', () => {}).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const through = new URL(url);
    through.port = String((between.address() as AddressInfo).port);
    const patient = openDatabase({ url: through.href, max_connections: 1, query_timeout_ms: 50 });
    const ask = () => patient.maybe(sql`select ${'x'}::text as value`);
    assert.deepEqual(await ask(), { value: 'x' });
    is_silent = true;
    await assert.rejects(ask(), { name: 'DatabaseUnavailable', message: 'Query read timeout' });
    is_silent = false;
    assert.deepEqual(await ask(), { value: 'x' });
    await patient.close();
    between.close();
  });
});
