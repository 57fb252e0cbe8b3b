// Messages that did not arrive over SMTP get CR LF line breaks, without blocking the event loop.
// Runs in its own process: it measures the processor time of the event loop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchEventLoop } from '../../../testing/event-loop.ts';
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

test('a large message of only line breaks does not block the event loop (M2)', async () => {
  const raw = Buffer.alloc(35 * 1024 * 1024, '\n');
  const loop = watchEventLoop();
  const fixed = await withCrLf(raw);
  const longest_ms = loop.longest_ms();
  loop.stop();
  assert.equal(fixed.length, raw.length * 2);
  assert.ok(longest_ms < 100, `${longest_ms} ms`);
});
