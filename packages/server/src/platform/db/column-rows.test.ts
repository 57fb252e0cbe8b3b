// Records that go into a real database column by column: nothing of them is lost, mixed up or changed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openTestDatabase } from '../../../testing/database.ts';
import { type ColumnKind, columnNames, columnRows } from './column-rows.ts';
import { compile, sql } from './sql.ts';

const { db, close } = await openTestDatabase('empty');
after(close);

const kinds = {
  id: 'uuid',
  words: 'text',
  at: 'timestamptz',
  tags: 'text[]',
  data: 'json',
} satisfies Record<string, ColumnKind>;
await db.run(
  sql`create table records (id uuid, words text, at timestamptz, tags text[], data json, place serial)`,
);

const awkward = ['', '\n', 'a\r\nb', '\\n', '"', 'null', '{}', ',', '\u2028\u2029\u0085', 'ü 漢 🙂'];
const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0') && each.isWellFormed()),
);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const record = fc.record({
  id: orNull(fc.uuid()),
  words: orNull(text),
  at: orNull(fc.date({ min: new Date(0), max: new Date('2400-01-01'), noInvalidDate: true })),
  tags: orNull(fc.array(text)),
  data: orNull(fc.oneof(fc.constantFrom(...awkward, '\0', {}, []), fc.jsonValue())),
});

const often_alike = [
  ['words', 'tags'],
  ['at', 'data'],
] as const;
/** Any records, and such that say the same in some of the columns. */
const group = fc
  .record({ records: fc.array(record, { maxLength: 20 }), like: record, same: fc.subarray([...often_alike]) })
  .map(({ records, like, same }) =>
    records.map((each) => ({
      ...each,
      ...Object.fromEntries(same.flat().map((name) => [name, like[name]])),
    })),
  );

test('records come back as they went in, in their order, whatever they say', async () => {
  await fc.assert(
    fc.asyncProperty(group, async (records) => {
      await db.run(sql`truncate records restart identity`);
      await db.run(
        sql`insert into records (${columnNames(kinds)}) ${columnRows(records, kinds, often_alike)}`,
      );
      const rows = await db.rows(
        sql`select id, words, at, tags, data::text as data from records order by place`,
      );
      const expected = records.map((each) => ({
        ...each,
        data: each.data === null ? null : JSON.stringify(each.data),
      }));
      assert.deepEqual(rows, expected);
    }),
    { numRuns: 150 },
  );
});

test('what a whole set of columns says alike is written once, and nothing else', () => {
  const valuesOf = (records: { id: string; words: string; tags: string[] }[]) =>
    compile(columnRows(records, { id: 'uuid', words: 'text', tags: 'text[]' }, [['words', 'tags']])).values;
  const one = { id: '1', words: 'same', tags: ['t'] };
  assert.deepEqual(valuesOf([one, { ...one, id: '2' }]), [['1', '2'], 'same', '{t}']);
  assert.deepEqual(valuesOf([one, { ...one, id: '2', tags: [] }]), [
    ['1', '2'],
    ['same', 'same'],
    ['{t}', '{}'],
  ]);
});
