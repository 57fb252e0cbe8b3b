// What waits to be played on a line, and how much of it has been: for sessions that pace their own frames.
import { frame_samples, msOf } from './media-session.ts';

type Mark = { at_sample: number; settle: (how: 'played' | 'cleared') => void };

export function playbackQueue() {
  let chunks: Int16Array[] = [];
  /** Of the first chunk, how much has been taken. */
  let offset = 0;
  let waiting = 0;
  let played = 0;
  const marks: Mark[] = [];
  let is_ended = false;

  const drop = () => {
    chunks = [];
    offset = 0;
    waiting = 0;
    for (const mark of marks.splice(0)) mark.settle('cleared');
  };

  /** A frame across the end of a chunk, or of all there is. */
  const gather = (): Int16Array => {
    const frame = new Int16Array(frame_samples);
    let filled = 0;
    while (filled < frame_samples && chunks.length > 0) {
      const part = chunks[0]!.subarray(offset, offset + frame_samples - filled);
      frame.set(part, filled);
      filled += part.length;
      offset += part.length;
      if (offset === chunks[0]!.length) {
        chunks.shift();
        offset = 0;
      }
    }
    waiting -= filled;
    played += filled;
    return frame;
  };

  return {
    push(pcm: Int16Array): void {
      if (is_ended || pcm.length === 0) return;
      chunks.push(pcm);
      waiting += pcm.length;
    },

    mark(): Promise<'played' | 'cleared'> {
      if (is_ended) return Promise.resolve('cleared');
      if (waiting === 0) return Promise.resolve('played');
      return new Promise((settle) => {
        marks.push({ at_sample: played + waiting, settle });
      });
    },

    clear: drop,

    /**
     * The next frame to play, filled up with silence; null when there is nothing. Mostly it is a part of what was
     * written, not a copy: fifty times a second for every call, a copy costs more than all the rest.
     */
    take(): Int16Array | null {
      if (waiting === 0) return null;
      const first = chunks[0]!;
      const end = offset + frame_samples;
      let frame: Int16Array;
      if (end < first.length) {
        frame = first.subarray(offset, end);
        offset = end;
        waiting -= frame_samples;
        played += frame_samples;
      } else {
        frame = gather();
      }
      while (marks.length > 0 && marks[0]!.at_sample <= played) marks.shift()!.settle('played');
      return frame;
    },

    played_ms: () => msOf(played),
    waiting_ms: () => msOf(waiting),

    /** The line is gone: nothing more is taken in. */
    end(): void {
      is_ended = true;
      drop();
    },
  };
}
