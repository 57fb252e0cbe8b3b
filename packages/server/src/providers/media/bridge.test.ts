// Two connected calls: complete sound in both directions, a limited delay after bursts, and keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steppedClock } from '../../../testing/stepped-clock.ts';
import { bridge } from './bridge.ts';
import { frame_samples } from './media-session.ts';
import { memoryCall } from './memory-session.ts';

const frameOf = (level: number) => new Int16Array(frame_samples).fill(level);

/** Two lines with a person at the end of each, connected by our sides. */
function connected() {
  const clock = steppedClock();
  const [left, right] = [memoryCall({ clock }), memoryCall({ clock })];
  const connection = bridge({ clock, first: left.caller, second: right.caller });
  left.caller.onFrame(connection.fromFirst);
  right.caller.onFrame(connection.fromSecond);
  left.caller.onDigit(connection.digitFromFirst);
  right.caller.onDigit(connection.digitFromSecond);
  const heard = {
    left: [] as { at_ms: number; level: number }[],
    right: [] as { at_ms: number; level: number }[],
  };
  const listen = (side: 'left' | 'right') => (pcm: Int16Array) => {
    if (pcm[0] !== 0) heard[side].push({ at_ms: clock.ms(), level: pcm[0]! });
  };
  left.callee.onFrame(listen('left'));
  right.callee.onFrame(listen('right'));
  return { clock, connection, left: left.callee, right: right.callee, heard };
}

test('both parties hear every frame of the other in order, at most 60 ms later', async () => {
  const { clock, left, right, heard } = connected();
  const levels = Array.from({ length: 50 }, (_, index) => 1000 + index);
  const started_ms = clock.ms();
  for (const level of levels) {
    left.write(frameOf(level));
    right.write(frameOf(level + 5000));
  }
  await clock.pass(1500);
  assert.deepEqual(
    heard.right.map(({ level }) => level),
    levels,
  );
  assert.deepEqual(
    heard.left.map(({ level }) => level),
    levels.map((level) => level + 5000),
  );
  for (const [index, { at_ms }] of heard.right.entries()) {
    // The frame is on the first line at the end of its own 20 ms.
    const delay_ms = at_ms - (started_ms + (index + 1) * 20);
    assert.ok(delay_ms <= 60, `frame ${index} after ${delay_ms} ms`);
  }
});

test('a frame is copied, because its session uses the array again', async () => {
  const { clock, connection, heard } = connected();
  const frame = frameOf(2000);
  connection.fromFirst(frame);
  frame.fill(3000);
  await clock.pass(100);
  assert.deepEqual(
    heard.right.map(({ level }) => level),
    [2000],
  );
});

test('after a burst the oldest audio is dropped, and pauses take back what is left of the delay', async () => {
  const { clock, connection, heard } = connected();
  for (let index = 0; index < 20; index++) connection.fromFirst(frameOf(1000 + index));
  await clock.pass(600);
  const levels = heard.right.map(({ level }) => level);
  assert.equal(levels.at(-1), 1019, 'the newest is heard');
  assert.ok(levels.length <= 9, `${levels.length} frames of 20`);
  // 100 ms late, then speech with a pause: the delay is not kept.
  for (let index = 0; index < 5; index++) connection.fromFirst(frameOf(2000 + index));
  for (let index = 0; index < 10; index++) {
    connection.fromFirst(frameOf(0));
    await clock.pass(20);
  }
  heard.right.length = 0;
  const said_ms = clock.ms();
  connection.fromFirst(frameOf(4000));
  await clock.pass(200);
  assert.ok(heard.right[0]!.at_ms - said_ms <= 80, `${heard.right[0]!.at_ms - said_ms} ms`);
});

test('keys reach the other party, and nothing after the end', async () => {
  const { clock, connection, left, right, heard } = connected();
  let keys = '';
  right.onDigit((digit) => {
    keys += digit;
  });
  await left.sendDigits('1#');
  assert.equal(keys, '1#');
  connection.stop();
  await left.sendDigits('2');
  left.write(frameOf(1000));
  await clock.pass(200);
  assert.deepEqual([keys, heard.right], ['1#', []]);
});
