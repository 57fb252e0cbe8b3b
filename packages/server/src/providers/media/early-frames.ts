// Keeps what the other party says until somebody listens: who picks up speaks at once, and the first word must be heard.
import { frame_ms } from './media-session.ts';

/** The oldest frames go first where nobody listens for longer. */
const most_frames = 10_000 / frame_ms;

export function earlyFrames() {
  let waiting: Int16Array[] | null = [];
  let listener: (pcm: Int16Array) => void = () => {};
  return {
    hear(frame: Int16Array): void {
      if (waiting === null) {
        listener(frame);
        return;
      }
      if (waiting.length === most_frames) waiting.shift();
      // It is only lent.
      waiting.push(frame.slice());
    },
    listen(next: (pcm: Int16Array) => void): void {
      listener = next;
      const early = waiting ?? [];
      waiting = null;
      for (const frame of early) next(frame);
    },
  };
}
