// Our own HMAC against the library's.
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacKey } from './hmac.ts';

for (const algorithm of ['sha1', 'sha256'] as const)
  test(`it signs with ${algorithm} as the library does, whatever the lengths of key and body`, () => {
    for (const key_bytes of [0, 1, 24, 32, 50, 63, 64, 65, 200]) {
      const key = randomBytes(key_bytes);
      const sign = hmacKey(key, algorithm);
      for (const body_bytes of [0, 1, 55, 56, 64, 700, 64 * 1024 - 80, 64 * 1024, 300_000]) {
        const body = randomBytes(body_bytes);
        const text = `${body_bytes}.`;
        for (const encoding of ['hex', 'base64'] as const) {
          const expected = createHmac(algorithm, key).update(text).update(body).digest(encoding);
          assert.equal(sign(text, body, encoding), expected, `${key_bytes} ${body_bytes} ${encoding}`);
        }
      }
    }
  });

test('two keys in turn do not disturb each other', () => {
  const [a, b] = [hmacKey(Buffer.from('a')), hmacKey(Buffer.from('b'))];
  const body = Buffer.from('body');
  const first = a('1.', body, 'hex');
  assert.notEqual(b('1.', body, 'hex'), first);
  assert.equal(a('1.', body, 'hex'), first);
});
