// Texts are replaced inside JSON by value; everything else stays byte for byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personText } from '../person/person-text.ts';

const { replace } = personText(
  {
    parties: ['+14155550123', 'ana@example.com'],
    names: ['Ana "A" Kos', '"version": 1'],
    display_names: ['Eve'],
  },
  'erased:1',
);

test('S6: JSON keeps its keys, order, numbers and blanks', () => {
  const json =
    '{ "version": 1, "big": 12345678901234567890, "x":"\\u0000\\ud800", "n": 1.0,\n "version": 1 }';
  assert.equal(replace(json), json);
  assert.equal(replace('{"to":"Ana \\"A\\" Kos","id": 10e2}'), '{"to":"erased:1","id": 10e2}');
  assert.equal(replace('["line\\nana@example.com"]'), '["line\\nerased:1"]');
  assert.equal(replace('"ANA@example.com"'), '"erased:1"');
  assert.equal(replace('{"a":'), '{"a":');
});

test('S6: JSON inside JSON is changed by value too', () => {
  const inner = JSON.stringify({ version: 1, who: 'ana@example.com' });
  assert.deepEqual(JSON.parse(replace(JSON.stringify({ arguments: inner }))), {
    arguments: JSON.stringify({ version: 1, who: 'erased:1' }),
  });
});

test('S6: the name beside the address goes with it, and keys that are the person', () => {
  const json = { from: { address: 'Ana@Example.com', name: 'Any Words' }, other: { name: 'Any Words' } };
  assert.deepEqual(JSON.parse(replace(JSON.stringify(json))), {
    from: { address: 'erased:1', name: 'erased:1' },
    other: { name: 'Any Words' },
  });
  assert.equal(replace('{"names":{"ana@example.com":"Eve"}}'), '{"names":{"erased:1":"erased:1"}}');
});

test('numbers and addresses are replaced as a whole only', () => {
  const text = 'diana@example.com ana@example.com.br ana@example.com. bounce+ana=example.com@x +141555501234';
  assert.equal(
    replace(text),
    'diana@example.com ana@example.com.br erased:1. bounce+ana=example.com@x +141555501234',
  );
  assert.equal(
    replace('?to=mailto%3Aana%40example.com&p=%2B14155550123'),
    '?to=mailto%3Aerased:1&p=erased:1',
  );
  assert.equal(replace('Eve <ana@example.com>, Eve'), '<erased:1>, Eve');
});
