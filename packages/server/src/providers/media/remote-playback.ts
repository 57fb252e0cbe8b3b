// Plays audio through a carrier: sends it a little ahead of time, and learns from the carrier's marks what was played.
import type { MediaClock } from './media-clock.ts';
import { frame_samples, msOf, samplesOf } from './media-session.ts';
import { pcmQueue } from './pcm-queue.ts';

type Piece = { mark: string; pcm: Int16Array };
type Waiter = { at_sample: number; settle(how: 'played' | 'cleared'): void };

const piece_samples = samplesOf(100);
/** Enough to hide a slow network; not more, because a barge-in drops audio that was sent and not played. */
const ahead_samples = samplesOf(400);
/** A mark that is still missing this long after its audio must have ended counts as received. */
const lost_mark_ms = 2000;

type Deps = {
  clock: MediaClock;
  /** The carrier sends the mark back when it has played the piece. */
  send(pcm: Int16Array, mark: string): void;
  clear(): void;
};

type State = {
  deps: Deps;
  /** Written, not sent yet. */
  queue: ReturnType<typeof pcmQueue>;
  /** Sent, not confirmed yet. */
  in_flight: Piece[];
  in_flight_samples: number;
  played_samples: number;
  marks_sent: number;
  /** When the first piece in flight started to play. */
  playing_since_ms: number;
  waiters: Waiter[];
  is_ended: boolean;
  onPlayed: ((frame: Int16Array) => void) | null;
  cancelMarkTimer: (() => void) | null;
};

export function remotePlayback(deps: Deps) {
  const state: State = {
    deps,
    queue: pcmQueue(),
    in_flight: [],
    in_flight_samples: 0,
    played_samples: 0,
    marks_sent: 0,
    playing_since_ms: 0,
    waiters: [],
    is_ended: false,
    onPlayed: null,
    cancelMarkTimer: null,
  };
  return {
    write(pcm: Int16Array): void {
      if (state.is_ended || pcm.length === 0) return;
      state.queue.push(pcm);
      sendAhead(state);
    },
    mark(): Promise<'played' | 'cleared'> {
      if (state.is_ended) return Promise.resolve('cleared');
      const pending = state.queue.length() + state.in_flight_samples;
      if (pending === 0) return Promise.resolve('played');
      return new Promise((settle) =>
        state.waiters.push({ at_sample: state.played_samples + pending, settle }),
      );
    },
    /** The carrier has played the piece with this mark. */
    confirm: (mark: string) => confirm(state, mark),
    /** Calls the listener with each frame after it was played. */
    onPlayed(listener: (frame: Int16Array) => void): void {
      state.onPlayed = listener;
    },
    clear(): void {
      const is_busy = state.in_flight.length > 0;
      drop(state);
      if (is_busy) deps.clear();
    },
    played_ms: () => msOf(state.played_samples + positionInFirst(state)),
    end(): void {
      state.is_ended = true;
      drop(state);
    },
  };
}

function sendAhead(state: State): void {
  const { queue, deps } = state;
  while (queue.length() > 0 && state.in_flight_samples < ahead_samples && !state.is_ended) {
    const pcm = queue.take(Math.min(queue.length(), piece_samples));
    const mark = `p${state.marks_sent++}`;
    if (state.in_flight.length === 0) state.playing_since_ms = deps.clock.ms();
    state.in_flight.push({ mark, pcm });
    state.in_flight_samples += pcm.length;
    deps.send(pcm, mark);
  }
  waitForMark(state);
}

/** One timer serves many marks: when it fires, it is set again if another piece is first by then. */
function waitForMark(state: State): void {
  const [first] = state.in_flight;
  if (state.cancelMarkTimer || !first) return;
  const { clock } = state.deps;
  const due_ms = state.playing_since_ms + msOf(first.pcm.length) + lost_mark_ms;
  state.cancelMarkTimer = clock.after(Math.max(0, due_ms - clock.ms()), () => {
    state.cancelMarkTimer = null;
    if (state.in_flight[0] === first) confirm(state, first.mark);
    else waitForMark(state);
  });
}

/** A mark of a piece that was dropped is ignored. A mark also confirms all pieces before it. */
function confirm(state: State, mark: string): void {
  let count = 1;
  while (count <= state.in_flight.length && state.in_flight[count - 1]!.mark !== mark) count++;
  if (count > state.in_flight.length) return;
  for (; count > 0; count--) {
    const { pcm } = state.in_flight.shift()!;
    state.in_flight_samples -= pcm.length;
    countPlayed(state, pcm, pcm.length);
  }
  state.playing_since_ms = state.deps.clock.ms();
  const { waiters } = state;
  while (waiters[0] && waiters[0].at_sample <= state.played_samples) waiters.shift()!.settle('played');
  sendAhead(state);
}

function countPlayed(state: State, pcm: Int16Array, length: number): void {
  state.played_samples += length;
  if (!state.onPlayed) return;
  for (let at = 0; at < length; at += frame_samples) {
    const frame = new Int16Array(frame_samples);
    frame.set(pcm.subarray(at, Math.min(at + frame_samples, length)));
    state.onPlayed(frame);
  }
}

/** How many samples of the first piece in flight must have been played by now. */
function positionInFirst({ in_flight, deps, playing_since_ms }: State): number {
  const [first] = in_flight;
  return first ? Math.min(first.pcm.length, samplesOf(deps.clock.ms() - playing_since_ms)) : 0;
}

function drop(state: State): void {
  const [first] = state.in_flight;
  if (first) countPlayed(state, first.pcm, positionInFirst(state));
  state.cancelMarkTimer?.();
  state.cancelMarkTimer = null;
  state.queue.clear();
  state.in_flight = [];
  state.in_flight_samples = 0;
  const dropped = state.waiters;
  state.waiters = [];
  for (const { settle } of dropped) settle('cleared');
}
