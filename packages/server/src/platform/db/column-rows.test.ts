// Records that are inserted by arrays of columns into a real database: every value is stored unchanged.
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
  note: 'text',
  at: 'timestamptz',
  tags: 'text[]',
  data: 'json',
} satisfies Record<string, ColumnKind>;
await db.run(
  sql`create table records (id uuid, note text, at timestamptz, tags text[], data json, position serial)`,
);

const awkward = ['', '\n', 'a\r\nb', '\\n', '"', 'null', '{}', ',', '\u2028\u2029\u0085', 'ü 漢 🙂'];
const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0') && each.isWellFormed()),
);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const record = fc.record({
  id: orNull(fc.uuid()),
  note: orNull(text),
  at: orNull(fc.date({ min: new Date(0), max: new Date('2400-01-01'), noInvalidDate: true })),
  tags: orNull(fc.array(text)),
  data: orNull(fc.oneof(fc.constantFrom(...awkward, '\0', {}, []), fc.jsonValue())),
});

const often_alike = [
  ['note', 'tags'],
  ['at', 'data'],
] as const;
/** Random records, some with the same values in some columns. */
const group = fc
  .record({ records: fc.array(record, { maxLength: 20 }), like: record, same: fc.subarray([...often_alike]) })
  .map(({ records, like, same }) =>
    records.map((each) => ({
      ...each,
      ...Object.fromEntries(same.flat().map((name) => [name, like[name]])),
    })),
  );

test('records are returned unchanged and in their order', async () => {
  await fc.assert(
    fc.asyncProperty(group, async (records) => {
      await db.run(sql`truncate records restart identity`);
      await db.run(
        sql`insert into records (${columnNames(kinds)}) ${columnRows(records, kinds, often_alike)}`,
      );
      const rows = await db.rows(
        sql`select id, note, at, tags, data::text as data from records order by position`,
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

test('only a set of columns with the same values in all records is written once', () => {
  const valuesOf = (records: { id: string; note: string; tags: string[] }[]) =>
    compile(columnRows(records, { id: 'uuid', note: 'text', tags: 'text[]' }, [['note', 'tags']])).values;
  const one = { id: '1', note: 'same', tags: ['t'] };
  assert.deepEqual(valuesOf([one, { ...one, id: '2' }]), [['1', '2'], 'same', '{t}']);
  assert.deepEqual(valuesOf([one, { ...one, id: '2', tags: [] }]), [
    ['1', '2'],
    ['same', 'same'],
    ['{t}', '{}'],
  ]);
});
