// The hash of a body in DKIM's relaxed form: the same in one piece or in any pieces, as RFC 6376 section 3.4.4 has it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyHash, bodyHasher } from './body-hash.ts';

/** The words of the RFC, one after the other. */
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

test('is that of the relaxed body, however the body is cut', () => {
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

test('of a whole body is the same', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const body = words.join('');
      assert.equal(bodyHash(body), expected(body));
    }),
    { numRuns: 2000 },
  );
});
