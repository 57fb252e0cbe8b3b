// Keys pressed by us: one step a tick, as events (RFC 4733) or, where the other side takes none, as tones in the audio.
import { frame_samples } from '../../../media/media-session.ts';
import type { DigitEvent } from './packet.ts';

const tone_frames = 5;
const end_packets = 3;
const gap_frames = 4;

const rows = [697, 770, 852, 941];
const columns = [1209, 1336, 1477, 1633];
const keypad = ['123A', '456B', '789C', '*0#D'];

export type DigitStep = { kind: 'event'; event: DigitEvent; first: boolean } | { kind: 'gap' };

export function digitSteps(digits: string): DigitStep[] {
  const steps: DigitStep[] = [];
  for (const digit of digits) {
    for (let frame = 1; frame <= tone_frames; frame++) {
      steps.push({
        kind: 'event',
        first: frame === 1,
        event: { digit, end: false, duration: frame * frame_samples },
      });
    }
    // The end is said three times, because it may get lost (RFC 4733 section 2.5.1.4).
    for (let copy = 0; copy < end_packets; copy++) {
      steps.push({
        kind: 'event',
        first: false,
        event: { digit, end: true, duration: tone_frames * frame_samples },
      });
    }
    for (let frame = 0; frame < gap_frames; frame++) steps.push({ kind: 'gap' });
  }
  return steps;
}

/** The two tones of the key for one frame of 20 ms; `from` is the sample the frame begins with. */
export function toneFrame(digit: string, from: number): Int16Array {
  const row = keypad.findIndex((keys) => keys.includes(digit));
  const low = rows[row]!;
  const high = columns[keypad[row]!.indexOf(digit)]!;
  return Int16Array.from({ length: frame_samples }, (_, index) => {
    const time = ((from + index) / 8000) * 2 * Math.PI;
    return 8000 * Math.sin(low * time) + 8000 * Math.sin(high * time);
  });
}
