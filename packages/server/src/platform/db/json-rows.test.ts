// JSON on its way into a real database: nothing of it is lost, split or changed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openTestDatabase } from '../../../testing/database.ts';
import { jsonRows, lines } from './json-rows.ts';
import { sql } from './sql.ts';

const { db, close } = await openTestDatabase();
after(close);

test('texts of JSON come back as they went in, in their order, whatever they say', async () => {
  const awkward = ['', '\n', 'a\r\nb', '\\n', '"', '\u2028\u2029\u0085', '\u0000', 'ü 漢 🙂', null, {}, []];
  const value = fc.oneof(fc.constantFrom(...awkward), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1 }), async (values) => {
      const texts = values.map((each) => JSON.stringify(each));
      const rows = await db.rows<{ text: string }>(
        sql`select text from rows from (${lines(texts)}) with ordinality as t (text, place) order by place`,
      );
      assert.deepEqual(
        rows.map((row) => row.text),
        texts,
      );
    }),
    { numRuns: 100, examples: [[awkward]] },
  );
});

test('columns without a value are left out; nulls inside a value stay, and the rows themselves are not changed', () => {
  const row = { id: 1, sent_at: null, metadata: { note: null }, to: [null, 'a'] };
  assert.equal(jsonRows([row]), '[{"id":1,"metadata":{"note":null},"to":[null,"a"]}]');
  assert.equal(row.sent_at, null);
});
