// Messages that did not come over SMTP get the line breaks of SMTP, without keeping the event loop waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchEventLoop } from '../../../testing/event-loop.ts';
import { withCrLf } from './line-breaks.ts';

test('every line break becomes CR LF, also where two slices meet', async () => {
  for (const [given, expected] of [
    ['', ''],
    ['a\r\nb\r\n', 'a\r\nb\r\n'],
    ['a\nb\rc\r\nd', 'a\r\nb\r\nc\r\nd'],
    ['\r\r\n\n', '\r\n\r\n\r\n'],
    ['\n\r', '\r\n\r\n'],
  ] as const) {
    assert.equal((await withCrLf(Buffer.from(given))).toString(), expected);
    const padding = 'x'.repeat(256 * 1024 - 1);
    assert.equal((await withCrLf(Buffer.from(padding + given))).toString(), padding + expected);
  }
  const right = Buffer.from('a\r\n');
  assert.equal(await withCrLf(right), right, 'the same buffer where nothing is to be done');
});

test('a large message of nothing but line breaks does not hold up the event loop (M2)', async () => {
  const raw = Buffer.alloc(35 * 1024 * 1024, '\n');
  const loop = watchEventLoop();
  const fixed = await withCrLf(raw);
  const longest_ms = loop.longest_ms();
  loop.stop();
  assert.equal(fixed.length, raw.length * 2);
  assert.ok(longest_ms < 100, `${longest_ms} ms`);
});
