// The playback queue loses, repeats and reorders nothing, whatever the lengths of the written buffers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { frame_samples, msOf } from './media-session.ts';
import { playbackQueue } from './playback-queue.ts';

test('audio is played in the order and the length in which it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500)), (lengths) => {
      const queue = playbackQueue();
      let next = 0;
      for (const length of lengths) queue.push(Int16Array.from({ length }, () => ++next));
      const played: number[] = [];
      for (let frame = queue.take(); frame; frame = queue.take()) {
        assert.equal(frame.length, frame_samples);
        played.push(...frame);
      }
      const silence = played.splice(next);
      assert.ok(silence.length < frame_samples && silence.every((sample) => sample === 0));
      assert.ok(played.every((sample, index) => sample === index + 1));
      assert.equal(queue.played_ms(), msOf(next));
      assert.equal(queue.waiting_ms(), 0);
    }),
  );
});

test('a mark settles with the frame that reaches it, or as cleared when its audio is dropped', async () => {
  const queue = playbackQueue();
  queue.push(new Int16Array(2 * frame_samples));
  const first = queue.mark();
  queue.push(new Int16Array(3 * frame_samples));
  const second = queue.mark();
  queue.take();
  queue.take();
  assert.equal(await first, 'played');
  queue.clear();
  assert.equal(await second, 'cleared');
  assert.equal(queue.take(), null);
});
