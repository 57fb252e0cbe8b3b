// Resampling keeps pitch and length, and removes frequencies that the new rate cannot represent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resample, resampler } from './resample.ts';

const tone = (hz: number, rate_hz: number, seconds: number) =>
  Float32Array.from(
    { length: rate_hz * seconds },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / rate_hz),
  );
const level = (samples: Float32Array) => {
  const middle = samples.subarray(samples.length >> 2, (3 * samples.length) >> 2);
  return Math.sqrt(middle.reduce((sum, x) => sum + x * x, 0) / middle.length);
};

for (const [from_hz, to_hz] of [
  [16_000, 8000],
  [24_000, 8000],
  [22_050, 8000],
  [8000, 16_000],
  [44_100, 8000],
] as const) {
  test(`a tone stays the same tone from ${from_hz} to ${to_hz} Hz`, () => {
    const got = resample(tone(440, from_hz, 0.5), from_hz, to_hz);
    const expected = tone(440, to_hz, 0.5);
    assert.equal(got.length, expected.length);
    const middle = [got.length >> 2, (3 * got.length) >> 2] as const;
    const worst = Math.max(...got.slice(...middle).map((x, i) => Math.abs(x - expected[i + middle[0]]!)));
    assert.ok(worst < 0.01, `off by ${worst}`);
  });
}

test('frequencies above the limit of the lower rate are removed', () => {
  assert.ok(level(resample(tone(5500, 24_000, 0.5), 24_000, 8000)) < 0.01);
});

test('a stream resampled in chunks equals the same audio resampled as a whole', () => {
  const input = tone(300, 24_000, 0.2);
  const { push, flush } = resampler(24_000, 8000);
  const pieces: number[] = [];
  for (let at = 0; at < input.length; at += 77) pieces.push(...push(input.subarray(at, at + 77)));
  pieces.push(...flush());
  const whole = resample(input, 24_000, 8000);
  whole.forEach((sample, i) => {
    assert.ok(Math.abs(sample - pieces[i]!) < 1e-6);
  });
});
