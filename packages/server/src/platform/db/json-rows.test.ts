// Rows of JSON: what has no value is not written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonRows } from './json-rows.ts';

test('columns without a value are left out; nulls inside a value stay, and the rows themselves are not changed', () => {
  const row = { id: 1, sent_at: null, metadata: { note: null }, to: [null, 'a'] };
  assert.equal(jsonRows([row]), '[{"id":1,"metadata":{"note":null},"to":[null,"a"]}]');
  assert.equal(row.sent_at, null);
});
