// Array parameters in binary form, with a real database: values are unchanged, and invalid ones are refused as in text form.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openTestDatabase } from '../../../testing/database.ts';
import { arrayBytes, arrayKinds } from './array-bytes.ts';
import { sql } from './sql.ts';

const { db, close } = await openTestDatabase('empty');
after(close);

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
/** Every example is four statements, and every run of the tests has another seed. */
const many = { numRuns: 50 };
/** Several times, because a prepared statement takes another code path from its second run on. */
const read = async <T>(query: () => ReturnType<typeof sql>) => {
  await db.maybe(query());
  return (await db.maybe<{ values: T[] }>(query()))!.values;
};

test('ids, integers, floats and timestamps are returned unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(orNull(fc.uuid())), async (values) =>
      assert.deepEqual(await read(() => sql`select ${values}::uuid[]::text[] as values`), values),
    ),
    many,
  );
  const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(orNull(int)), async (values) =>
      assert.deepEqual(await read(() => sql`select ${values}::int[] as values`), values),
    ),
    many,
  );
  await fc.assert(
    // deepEqual of node:assert/strict distinguishes 0 and -0.
    fc.asyncProperty(fc.array(orNull(fc.double())), async (values) =>
      assert.deepEqual(await read(() => sql`select ${values}::float8[] as values`), values),
    ),
    many,
  );
  const moment = fc.date({ min: new Date(0), max: new Date('2400-01-01'), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(fc.array(orNull(moment)), async (values) => {
      const texts = values.map((value) => value?.toISOString() ?? null);
      assert.deepEqual(await read(() => sql`select ${values}::timestamptz[] as values`), values);
      assert.deepEqual(await read(() => sql`select ${texts}::timestamptz[] as values`), values);
    }),
    many,
  );
});

test('equal adjacent values are each written', async () => {
  const id = '0193e5c0-0000-7000-8000-00000000000a';
  const values = [id, id, null, id, null, null, id];
  assert.deepEqual(await read(() => sql`select ${values}::uuid[]::text[] as values`), values);
  const zeros = [-0, 0, 0, -0];
  assert.deepEqual(await read(() => sql`select ${zeros}::float8[] as values`), zeros);
});

test('other spellings are parsed by the database, and invalid values are refused', async () => {
  const id = '0193E5C0-0000-7000-8000-00000000000A';
  const plain = id.replaceAll('-', '');
  assert.deepEqual(await read(() => sql`select ${[id, plain, `{${id}}`]}::uuid[]::text[] as values`), [
    id.toLowerCase(),
    id.toLowerCase(),
    id.toLowerCase(),
  ]);
  const finer = '2026-06-06 12:00:00.123456+02';
  assert.deepEqual(
    await read(
      () =>
        sql`select array(select extract(microseconds from m)::int from unnest(${[finer]}::timestamptz[]) m) as values`,
    ),
    [123_456],
  );
  const refused = (query: ReturnType<typeof sql>, code: string) => assert.rejects(db.maybe(query), { code });
  await refused(sql`select ${['no identifier']}::uuid[]`, '22P02');
  await refused(sql`select ${[id.replace('E', 'g')]}::uuid[]`, '22P02');
  await refused(sql`select ${[id.replace('E', 'Ａ')]}::uuid[]`, '22P02');
  await refused(sql`select ${[1.5]}::int[]`, '22P02');
  await refused(sql`select ${[2 ** 31]}::int[]`, '22003');
});

test('only arrays of known types are written in binary form', () => {
  assert.deepEqual(arrayKinds('select $1::uuid[], $2::text, $3::int[], $12::boolean[]'), [
    'uuid',
    undefined,
    'int',
  ]);
  assert.equal(arrayBytes(['x'], 'uuid'), null);
});
