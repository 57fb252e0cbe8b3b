// The queue of audio to play, for sessions that pace their own frames; counts what has been played.
import { frame_samples, msOf } from './media-session.ts';

type Mark = { at_sample: number; settle: (how: 'played' | 'cleared') => void };

const nothing = new Int16Array(0);
const never = 0x7fff_ffff;

/** The current buffer and the first mark's position are separate fields, because every frame reads them. */
export type Playback = {
  current: Int16Array;
  offset: number;
  /** Start of the frame that was taken last, in its array. */
  frame_start: number;
  waiting: number;
  played: number;
  next_mark_at: number;
  later: Int16Array[];
  marks: Mark[];
};

/**
 * The array that contains the next frame, starting at `frame_start`; null when nothing is queued. A last frame that is
 * too short is filled with silence. Usually this is the written array itself: at 50 frames per second and call, even
 * creating a view for each frame is too expensive.
 */
export function nextFrame(playback: Playback): Int16Array | null {
  if (playback.waiting === 0) return null;
  let pcm = playback.current;
  const start = playback.offset;
  const end = start + frame_samples;
  if (end > pcm.length) {
    pcm = copyFrame(playback);
  } else {
    playback.frame_start = start;
    playback.offset = end;
    playback.waiting -= frame_samples;
    playback.played += frame_samples;
    if (end === pcm.length) nextBuffer(playback);
  }
  if (playback.next_mark_at <= playback.played) settleMarks(playback);
  return pcm;
}

function nextBuffer(playback: Playback): void {
  playback.current = playback.later.shift() ?? nothing;
  playback.offset = 0;
}

/** A frame that spans several buffers, or the last frame of the queue. */
function copyFrame(playback: Playback): Int16Array {
  const frame = new Int16Array(frame_samples);
  let filled = 0;
  while (filled < frame_samples && filled < playback.waiting) {
    const { current, offset } = playback;
    const part = current.subarray(offset, offset + frame_samples - filled);
    frame.set(part, filled);
    filled += part.length;
    playback.offset += part.length;
    if (playback.offset === current.length) nextBuffer(playback);
  }
  playback.frame_start = 0;
  playback.waiting -= filled;
  playback.played += filled;
  return frame;
}

function settleMarks(playback: Playback): void {
  const { marks, played } = playback;
  while (marks.length > 0 && marks[0]!.at_sample <= played) marks.shift()!.settle('played');
  playback.next_mark_at = marks[0]?.at_sample ?? never;
}

export function playbackQueue() {
  const playback: Playback = {
    current: nothing,
    offset: 0,
    frame_start: 0,
    waiting: 0,
    played: 0,
    next_mark_at: never,
    later: [],
    marks: [],
  };
  let is_ended = false;

  const drop = () => {
    playback.current = nothing;
    playback.offset = 0;
    playback.later = [];
    playback.waiting = 0;
    playback.next_mark_at = never;
    for (const mark of playback.marks.splice(0)) mark.settle('cleared');
  };

  return {
    playback,

    push(pcm: Int16Array): void {
      if (is_ended || pcm.length === 0) return;
      if (playback.waiting === 0) playback.current = pcm;
      else playback.later.push(pcm);
      playback.waiting += pcm.length;
    },

    mark(): Promise<'played' | 'cleared'> {
      if (is_ended) return Promise.resolve('cleared');
      if (playback.waiting === 0) return Promise.resolve('played');
      return new Promise((settle) => {
        playback.marks.push({ at_sample: playback.played + playback.waiting, settle });
        playback.next_mark_at = playback.marks[0]!.at_sample;
      });
    },

    clear: drop,

    /** The next frame to play; null when nothing is queued. */
    take(): Int16Array | null {
      const pcm = nextFrame(playback);
      if (pcm === null) return null;
      return pcm.subarray(playback.frame_start, playback.frame_start + frame_samples);
    },

    played_ms: () => msOf(playback.played),
    waiting_ms: () => msOf(playback.waiting),

    /** The line is closed: drops all audio, and ignores audio that is written later. */
    end(): void {
      is_ended = true;
      drop();
    },
  };
}
