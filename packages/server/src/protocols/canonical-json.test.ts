// Canonical JSON against the examples of RFC 8785.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from './canonical-json.ts';

test('numbers, strings and the order of members are those of RFC 8785', () => {
  // Section 3.2.2 and 3.2.3.
  const input = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  assert.equal(
    canonicalJson(input),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const names = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  assert.deepEqual(
    [...canonicalJson(names).matchAll(/:(\d)/g)].map(([, digit]) => digit),
    ['2', '4', '6', '7', '1', '5', '3'],
  );
});

test('members that are undefined do not count, and the order of a list does', () => {
  assert.equal(canonicalJson({ b: undefined, a: [2, 1] }), '{"a":[2,1]}');
});
