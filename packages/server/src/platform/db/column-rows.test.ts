// Records that go into a real database column by column: nothing of them is lost, mixed up or changed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openTestDatabase } from '../../../testing/database.ts';
import { type ColumnKind, columnNames, columnRows } from './column-rows.ts';
import { sql } from './sql.ts';

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

test('records come back as they went in, in their order, whatever they say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (records) => {
      await db.run(sql`truncate records restart identity`);
      await db.run(sql`insert into records (${columnNames(kinds)}) ${columnRows(records, kinds)}`);
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
