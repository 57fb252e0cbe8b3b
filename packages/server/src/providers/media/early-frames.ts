// Buffers the other party's first frames until a listener is set: people speak right after they pick up.
import { frame_ms } from './media-session.ts';

/** Above this limit the oldest frames are dropped. */
const max_frames = 10_000 / frame_ms;

export function earlyFrames() {
  let buffered: Int16Array[] | null = [];
  let listener: (pcm: Int16Array) => void = () => {};
  return {
    push(frame: Int16Array): void {
      if (buffered === null) {
        listener(frame);
        return;
      }
      if (buffered.length === max_frames) buffered.shift();
      // The frame's buffer is reused after this call.
      buffered.push(frame.slice());
    },
    onFrame(next: (pcm: Int16Array) => void): void {
      listener = next;
      const early = buffered ?? [];
      buffered = null;
      for (const frame of early) next(frame);
    },
  };
}
