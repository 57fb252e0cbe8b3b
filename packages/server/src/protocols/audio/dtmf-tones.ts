// DTMF: the tones of a phone's keys (ITU-T Q.23), for lines that carry digits as audio.
import { frame_samples, samplesOf } from './frames.ts';

const rows = [697, 770, 852, 941];
const columns = [1209, 1336, 1477, 1633];
const keypad = ['123A', '456B', '789C', '*0#D'];

export const keys = keypad.join('');

/** The low and the high frequency of a key, in Hz. */
export function pitchesOf(digit: string): [number, number] {
  const row = keypad.findIndex((each) => each.includes(digit));
  return [rows[row]!, columns[keypad[row]!.indexOf(digit)]!];
}

/** Part of a key's tone, starting at sample `from`; one frame of 20 ms by default. */
export function toneFrame(digit: string, from: number, length = frame_samples): Int16Array {
  const [low, high] = pitchesOf(digit);
  return Int16Array.from({ length }, (_, index) => {
    const time = ((from + index) / 8000) * 2 * Math.PI;
    return 8000 * Math.sin(low * time) + 8000 * Math.sin(high * time);
  });
}

/** The tones of several keys, each long enough to be recognized (ITU-T Q.24). */
export function toneSequence(digits: string, options = { tone_ms: 100, gap_ms: 80 }): Int16Array {
  const [tone, gap] = [samplesOf(options.tone_ms), samplesOf(options.gap_ms)];
  const sound = new Int16Array(digits.length * (tone + gap));
  for (const [index, digit] of [...digits].entries()) {
    sound.set(toneFrame(digit, 0, tone), index * (tone + gap));
  }
  return sound;
}
