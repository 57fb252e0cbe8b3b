// The plain and the fast statement runner return the same results.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openTestDatabase } from '../../../testing/database.ts';
import { columnNames, columnRows } from './column-rows.ts';
import { type Database, openDatabase } from './database.ts';
import { sql } from './sql.ts';

const { db: fast, url, close } = await openTestDatabase('empty');
const plain = openDatabase({ url, max_connections: 2, plain: true });
after(async () => {
  await plain.close();
  await close();
});
await fast.run(sql`
  create table samples (id uuid primary key, organization_id uuid, name text, size int, total bigint, is_set boolean,
                        at timestamptz, tags text[], data json, more jsonb)`);

const kinds = {
  id: 'uuid',
  organization_id: 'uuid',
  name: 'text',
  size: 'int',
  total: 'bigint',
  is_set: 'boolean',
  at: 'timestamptz',
  tags: 'text[]',
  data: 'json',
  more: 'jsonb',
} as const;
const organization_id = randomUUID();
const names = ['', 'plain', 'null', 'wörds 🙂', '"quoted" \\ {braces},', null];
const samples = names.map((name, index) => ({
  id: randomUUID(),
  organization_id,
  name,
  size: index === 3 ? null : index * 1000,
  total: 2 ** 40 + index,
  is_set: index % 2 === 0,
  at: index % 2 ? new Date('2026-06-06T12:34:56.789Z') : '1999-12-31T23:59:59.001Z',
  tags: index === 1 ? [] : ['a', 'b c', name ?? 'none'],
  data: { name, list: [1, null] },
  more: index === 2 ? null : { index },
}));

/** Each runs on both connections; a name states the operation. */
const operations: Record<string, (db: Database) => Promise<unknown>> = {
  'insert rows as columns': async (db) => {
    await db.run(sql`delete from samples`);
    const values = columnRows(samples, kinds, [['organization_id']]);
    const count = await db.run(sql`insert into samples (${columnNames(kinds)}) ${values}`);
    return [
      count,
      await db.rows(sql`select * from samples where organization_id = ${organization_id} order by total`),
    ];
  },
  'insert one row as columns': async (db) => {
    await db.run(sql`delete from samples`);
    await db.run(sql`insert into samples (${columnNames(kinds)}) ${columnRows(samples.slice(0, 1), kinds)}`);
    return db.maybe(sql`select * from samples`);
  },
  'empty arrays': (db) => db.rows(sql`select unnest(${[]}::uuid[]) as id, unnest(${[]}::text[]) as name`),
  'arrays with nulls': (db) =>
    db.rows(sql`
      select unnest(${[1, null, 3]}::int[]) as number, unnest(${[1.5, null, -0.25]}::float8[]) as part,
             unnest(${['x', null, 'NULL']}::text[]) as word`),
  'single values': (db) =>
    db.maybe(sql`
      select ${'text'}::text as text, ${null}::int as nothing, ${true}::boolean as yes, ${12}::bigint as large,
             ${new Date(0)}::timestamptz as at, ${{ a: [1] }}::json as data, ${Buffer.from([0, 255])}::bytea as bytes`),
  'no values': (db) => db.rows(sql`select 1 as one union all select 2`),
  'replanned statements': async (db) => {
    const results: unknown[] = [];
    for (let run = 0; run < 5; run++) {
      results.push(await db.maybe(sql.replannedRarely(sql`select ${run}::int as run`)));
      results.push(await db.maybe(sql.replanned(sql`select ${run}::int as run`)));
    }
    return results;
  },
  'affected rows': (db) => db.run(sql`update samples set size = ${1} where size > ${-1}`),
  'a transaction': (db) =>
    db.transaction(async (tx) => {
      await tx.run(sql`update samples set name = ${'changed'} where organization_id = ${organization_id}`);
      return tx.rows(sql`select name from samples where organization_id = ${organization_id}`);
    }),
  'a violated key': async (db) => {
    const [id] = [randomUUID()];
    const insert = () => db.run(sql`insert into samples (id) values (${id})`);
    await insert();
    const error = await insert().catch(
      (thrown: { code: string; constraint: string; table: string }) => thrown,
    );
    await db.run(sql`delete from samples where id = ${id}`);
    const { code, constraint, table } = error as { code: string; constraint: string; table: string };
    return { code, constraint, table };
  },
};

describe('the plain and the fast runner return the same', () => {
  for (const [name, operation] of Object.entries(operations)) {
    test(name, async () => {
      // Twice: the second run of the fast runner uses the prepared statement.
      const [first, second] = [await operation(fast), await operation(fast)];
      assert.deepEqual(second, first);
      assert.deepEqual(await operation(plain), first);
      assert.notEqual(first, undefined);
    });
  }
});
