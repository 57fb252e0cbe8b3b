// Line breaks and line lengths are checked the same, however the bytes are split into chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineRules } from './line-rules.ts';

const check = (chunks: string[], max = 50) => {
  const rules = lineRules(max);
  for (const chunk of chunks) {
    const fault = rules.check(Buffer.from(chunk, 'latin1'));
    if (fault) return fault;
  }
  return null;
};

test('only CR LF ends a line', () => {
  assert.equal(check(['a\r\nb\r\n\r\n']), null);
  for (const bad of ['a\nb\r\n', 'a\rb\r\n', '\n', '\r\r\n', '\r\n\n', 'a\r', 'a\r\n\rb']) {
    assert.equal(check([bad, 'x\r\n']), 'bare_line_break', JSON.stringify(bad));
  }
});

test('a line up to the limit is accepted, a longer one is not', () => {
  assert.equal(check([`${'x'.repeat(49)}\r\n`]), null);
  assert.equal(check([`${'x'.repeat(52)}\r\n`]), 'line_too_long');
  assert.equal(check(Array(60).fill('x')), 'line_too_long');
});

test('the chunk boundaries do not change the result', () => {
  const piece = fc.constantFrom('\r', '\n', '\r\n', 'a', 'bcd');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(5)), (pieces, cuts) => {
      const whole = `${pieces.join('')}z\r\n`;
      const chunks: string[] = [];
      let rest = whole;
      for (const cut of cuts) {
        chunks.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      const has_bare = /\r(?!\n)|(?<!\r)\n/.test(whole);
      assert.equal(check([...chunks, rest], 1000), has_bare ? 'bare_line_break' : null);
    }),
    { numRuns: 2000 },
  );
});
