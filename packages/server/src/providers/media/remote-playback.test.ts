// Audio that a carrier plays for us: its order, the marks that confirm it, and marks that are missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { msOf, samplesOf } from './media-session.ts';
import { remotePlayback } from './remote-playback.ts';

function playbackOnTestClock() {
  let time_ms = 0;
  let timers: { at_ms: number; run: () => void }[] = [];
  const clock = {
    ms: () => time_ms,
    after(delay_ms: number, run: () => void) {
      const timer = { at_ms: time_ms + delay_ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    every: () => () => {},
  };
  const sent: { pcm: Int16Array; mark: string }[] = [];
  const playback = remotePlayback({ clock, send: (pcm, mark) => sent.push({ pcm, mark }), clear() {} });
  return {
    playback,
    sent,
    timers: () => timers.length,
    pass(ms: number) {
      for (const end_ms = time_ms + ms; ; ) {
        const next = timers.toSorted((a, b) => a.at_ms - b.at_ms)[0];
        time_ms = next && next.at_ms <= end_ms ? next.at_ms : end_ms;
        if (!next || next.at_ms > end_ms) return;
        timers = timers.filter((each) => each !== next);
        next.run();
      }
    },
  };
}

test('audio is sent in the order in which it was written, whatever the lengths', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3000), { maxLength: 8 }), (lengths) => {
      const { playback, sent } = playbackOnTestClock();
      let next = 0;
      for (const length of lengths) playback.write(Int16Array.from({ length }, () => next++));
      for (let confirmed = 0; confirmed < sent.length; confirmed++) playback.confirm(sent[confirmed]!.mark);
      const samples = sent.flatMap(({ pcm }) => [...pcm]);
      assert.equal(samples.length, next);
      assert.ok(samples.every((sample, index) => sample === (index << 16) >> 16));
      assert.equal(playback.played_ms(), msOf(next));
    }),
  );
});

test('one timer serves all marks, and a missing mark counts as received after its timeout', () => {
  const { playback, sent, pass, timers } = playbackOnTestClock();
  playback.write(new Int16Array(samplesOf(10_000)));
  for (let piece = 0; piece < 50; piece++) {
    pass(100);
    playback.confirm(sent[piece]!.mark);
    assert.equal(timers(), 1);
  }
  const before = sent.length;
  pass(2099);
  assert.equal(sent.length, before, 'the timeout counts from the piece that plays now');
  pass(1);
  assert.equal(sent.length, before + 1, 'the next piece is sent as if the mark had arrived');
  playback.end();
  assert.equal(timers(), 0);
});
