// Messages that did not arrive over SMTP get CR LF line breaks, without blocking the event loop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withCrLf } from './line-breaks.ts';

test('every line break becomes CR LF, also at the boundary of two slices', async () => {
  for (const [input, expected] of [
    ['', ''],
    ['a\r\nb\r\n', 'a\r\nb\r\n'],
    ['a\nb\rc\r\nd', 'a\r\nb\r\nc\r\nd'],
    ['\r\r\n\n', '\r\n\r\n\r\n'],
    ['\n\r', '\r\n\r\n'],
  ] as const) {
    assert.equal((await withCrLf(Buffer.from(input))).toString(), expected);
    const padding = 'x'.repeat(256 * 1024 - 1);
    assert.equal((await withCrLf(Buffer.from(padding + input))).toString(), padding + expected);
  }
  const unchanged = Buffer.from('a\r\n');
  assert.equal(await withCrLf(unchanged), unchanged, 'a message that is already correct is not copied');
});

test('a large message does not block the event loop: other work runs after every 256 KiB (M2)', async () => {
  const slices = 16;
  const raw = Buffer.alloc(slices * 256 * 1024, '\n');
  let turns = 0;
  let is_done = false;
  const countTurns = () => {
    turns++;
    if (!is_done) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const fixed = await withCrLf(raw);
  is_done = true;
  assert.equal(fixed.length, raw.length * 2);
  assert.ok(turns >= slices - 1, `${turns} turns of the event loop`);
});
