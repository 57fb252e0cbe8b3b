// The DKIM body hash with relaxed canonicalization (RFC 6376 section 3.4.4) is the same for a whole body and for its chunks.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyHash, bodyHasher } from './body-hash.ts';

/** A literal implementation of the RFC's steps. */
function relaxed(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}
const expected = (body: string) => createHash('sha256').update(relaxed(body), 'latin1').digest('base64');

const word = fc.constantFrom(
  'a',
  'bc=',
  'q'.repeat(76),
  ' ',
  '  ',
  '\t',
  '\r\n',
  '\r\n',
  '\r\n\r\n',
  '\r',
  '\n',
  '.',
);

test('the hash does not depend on how the body is split into chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 12 }), { maxLength: 8 }), (chunks) => {
      const pieces = chunks.map((words) => words.join(''));
      const hasher = bodyHasher();
      for (const piece of pieces) hasher.update(Buffer.from(piece, 'latin1'));
      assert.equal(hasher.digest(), expected(pieces.join('')));
    }),
    { numRuns: 3000 },
  );
});

test('the hash of a whole string is the same', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const body = words.join('');
      assert.equal(bodyHash(body), expected(body));
    }),
    { numRuns: 2000 },
  );
});
