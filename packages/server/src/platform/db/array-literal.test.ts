// Array parameters as text, with a real database: every value is returned unchanged.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openTestDatabase } from '../../../testing/database.ts';
import { arrayLiteral } from './array-literal.ts';
import { sql } from './sql.ts';

const { db, close } = await openTestDatabase();
after(close);

const back = async (values: (string | null)[]) =>
  (await db.maybe<{ values: (string | null)[] }>(sql`select ${values}::text[] as values`))!.values;

test('any text is returned unchanged', async () => {
  const awkward = [
    '',
    ' ',
    'null',
    'NULL',
    '{}',
    'a,b',
    '"',
    '\\',
    '\\"',
    "it's",
    'ü\n\t',
    '{"a":"b"}',
    null,
  ];
  assert.deepEqual(await back(awkward), awkward);
  const word = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
    fc.constantFrom('null', 'Null', '"', '\\', ',', '{', '}', ' a', 'a '),
    fc.constant(null),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word), async (values) => assert.deepEqual(await back(values), values)),
    { numRuns: 200 },
  );
});

test('numbers and ids are returned as such, and other values are written by the driver', async () => {
  const id = '0193e5c0-0000-7000-8000-00000000000a';
  const row = await db.maybe(sql`select ${[1, -2.5, null]}::float8[] as numbers, ${[id]}::uuid[] as ids,
    ${[true, false]}::boolean[] as flags, ${[new Date(0)]}::timestamptz[] as times, ${[]}::text[] as none`);
  assert.deepEqual(row, {
    numbers: [1, -2.5, null],
    ids: [id],
    flags: [true, false],
    times: [new Date(0)],
    none: [],
  });
  assert.equal(arrayLiteral([[1]]), null);
});
