// Cuts frames from larger arrays: a buffer of its own for each would cost more than all that is done with it.
import { frame_samples } from './media-session.ts';

const slab_frames = 16;

/** Each call gives a silent frame that nobody else has. */
export function frameSlab(): () => Int16Array {
  let slab = new Int16Array(0);
  let next = 0;
  return () => {
    if (next === slab.length) {
      slab = new Int16Array(slab_frames * frame_samples);
      next = 0;
    }
    next += frame_samples;
    return slab.subarray(next - frame_samples, next);
  };
}
