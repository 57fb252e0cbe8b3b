// The in-memory line, and the queue and the clock that it uses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steppedClock } from '../../../testing/stepped-clock.ts';
import { mediaSessionConformance } from './conformance.ts';
import { realTimeClock } from './media-clock.ts';
import { memoryCall } from './memory-session.ts';
import { playbackQueue } from './playback-queue.ts';

mediaSessionConformance('memory', async () => {
  const clock = steppedClock();
  const { caller, callee } = memoryCall({ clock });
  const levels: number[] = [];
  let digits = '';
  callee.onFrame((pcm) => levels.push(Math.max(...pcm)));
  callee.onDigit((digit) => {
    digits += digit;
  });
  return {
    session: caller,
    far: {
      say: callee.write,
      press: (digit) => void callee.sendDigits(digit),
      levels: () => levels,
      digits: () => digits,
      hangUp: callee.close,
    },
    pass: clock.pass,
    done: async () => {},
  };
});

test('a broken line reports the reason to both parties', async () => {
  const call = memoryCall({ clock: steppedClock() });
  call.fail('cable cut');
  assert.deepEqual(await call.caller.closed, { by: 'failure', detail: 'cable cut' });
  assert.deepEqual(await call.callee.closed, { by: 'failure', detail: 'cable cut' });
});

test('audio of any length leaves the queue as whole frames, in order', () => {
  const queue = playbackQueue();
  queue.push(Int16Array.from({ length: 100 }, (_, i) => i));
  queue.push(Int16Array.from({ length: 100 }, (_, i) => 100 + i));
  assert.deepEqual(
    [...queue.take()!],
    Array.from({ length: 160 }, (_, i) => i),
  );
  const last = queue.take()!;
  assert.deepEqual([last[0], last[39], last[40], last.length], [160, 199, 0, 160]);
  assert.equal(queue.take(), null);
  assert.equal(queue.played_ms(), 25);
});

test('the real-time clock catches up on missed ticks', async () => {
  const clock = realTimeClock();
  const started_ms = clock.ms();
  let ticks = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = clock.every(5, () => {
    ticks++;
    if (ticks === 1) while (clock.ms() < started_ms + 60); // the thread is busy for many ticks
    if (ticks === 12) resolve();
  });
  await promise;
  stop();
  assert.ok(clock.ms() - started_ms >= 60);
  const at_stop = ticks;
  await new Promise((settled) => clock.after(20, () => settled(null)));
  assert.equal(ticks, at_stop);
});
