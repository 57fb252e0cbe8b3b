// What waits to be played on a line, and how much of it has been: for sessions that pace their own frames.
import { frame_samples, msOf } from './media-session.ts';

type Mark = { at_sample: number; settle: (how: 'played' | 'cleared') => void };

const nothing = new Int16Array(0);
const never = 0x7fff_ffff;

export function playbackQueue() {
  /** What is being played stands outside the list, and so does the place of the first mark: each is asked for every frame. */
  let current: Int16Array = nothing;
  let offset = 0;
  let next_mark_at = never;
  let later: Int16Array[] = [];
  let waiting = 0;
  let played = 0;
  const marks: Mark[] = [];
  let is_ended = false;

  const drop = () => {
    current = nothing;
    offset = 0;
    later = [];
    waiting = 0;
    next_mark_at = never;
    for (const mark of marks.splice(0)) mark.settle('cleared');
  };

  const settleMarks = () => {
    while (marks.length > 0 && marks[0]!.at_sample <= played) marks.shift()!.settle('played');
    next_mark_at = marks[0]?.at_sample ?? never;
  };

  /** A frame across the end of a piece, or of all there is. */
  const gather = (): Int16Array => {
    const frame = new Int16Array(frame_samples);
    let filled = 0;
    while (filled < frame_samples && filled < waiting) {
      const part = current.subarray(offset, offset + frame_samples - filled);
      frame.set(part, filled);
      filled += part.length;
      offset += part.length;
      if (offset === current.length) {
        current = later.shift() ?? nothing;
        offset = 0;
      }
    }
    waiting -= filled;
    played += filled;
    return frame;
  };

  /**
   * Shows where the next frame to play lies, filled up with silence; false when there is nothing. Mostly it is a part of
   * what was written: fifty times a second for every call, a copy of it or even a view is too much.
   */
  const play = (read: (pcm: Int16Array, start: number) => void): boolean => {
    if (waiting === 0) return false;
    const start = offset;
    if (start + frame_samples < current.length) {
      offset = start + frame_samples;
      waiting -= frame_samples;
      played += frame_samples;
      read(current, start);
    } else {
      read(gather(), 0);
    }
    if (next_mark_at <= played) settleMarks();
    return true;
  };

  return {
    push(pcm: Int16Array): void {
      if (is_ended || pcm.length === 0) return;
      if (waiting === 0) current = pcm;
      else later.push(pcm);
      waiting += pcm.length;
    },

    mark(): Promise<'played' | 'cleared'> {
      if (is_ended) return Promise.resolve('cleared');
      if (waiting === 0) return Promise.resolve('played');
      return new Promise((settle) => {
        marks.push({ at_sample: played + waiting, settle });
        next_mark_at = marks[0]!.at_sample;
      });
    },

    clear: drop,
    play,

    /** The next frame to play, null when there is nothing. */
    take(): Int16Array | null {
      let frame: Int16Array | null = null;
      play((pcm, start) => {
        frame = pcm.subarray(start, start + frame_samples);
      });
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
