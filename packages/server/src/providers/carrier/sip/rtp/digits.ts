// The steps to send DTMF digits, one per tick: as telephone events (RFC 4733), or as tones where they are not supported.
import { frame_samples } from '../../../media/media-session.ts';
import type { DigitEvent } from './packet.ts';

const tone_frames = 5;
const end_packets = 3;
const gap_frames = 4;

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
    // The end is sent three times, because a packet may get lost (RFC 4733 section 2.5.1.4).
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
