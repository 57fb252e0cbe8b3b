// Sound that a carrier plays for us: sent a little ahead, and known to be heard by the marks that come back.
import type { MediaClock } from './media-clock.ts';
import { frame_samples, msOf, samplesOf } from './media-session.ts';

type Piece = { mark: string; pcm: Int16Array };
type Waiter = { at_sample: number; settle(how: 'played' | 'cleared'): void };

const piece_samples = samplesOf(100);
/** Enough that a slow answer makes no gap; little enough that nothing is said in vain. */
const ahead_samples = samplesOf(400);
/** A mark that has not come back so long after its sound must have ended is not waited for. */
const lost_mark_ms = 2000;

export function remotePlayback(deps: {
  clock: MediaClock;
  /** The carrier names the mark when the piece has been played. */
  send(pcm: Int16Array, mark: string): void;
  clear(): void;
}) {
  const { clock } = deps;
  let chunks: Int16Array[] = [];
  let offset = 0;
  let waiting = 0;
  let in_flight: Piece[] = [];
  let flying = 0;
  let heard = 0;
  let marks_made = 0;
  /** Since when the first piece in flight plays. */
  let playing_since_ms = 0;
  let waiters: Waiter[] = [];
  let is_ended = false;
  let played: ((frame: Int16Array) => void) | null = null;
  let cancelPatience: (() => void) | null = null;

  /** A part of what was written, or a copy across the end of a chunk. */
  const take = (length: number): Int16Array => {
    const end = offset + length;
    if (end < chunks[0]!.length) {
      const pcm = chunks[0]!.subarray(offset, end);
      offset = end;
      waiting -= length;
      return pcm;
    }
    const pcm = new Int16Array(length);
    for (let filled = 0; filled < length; ) {
      const part = chunks[0]!.subarray(offset, offset + length - filled);
      pcm.set(part, filled);
      filled += part.length;
      offset += part.length;
      if (offset < chunks[0]!.length) continue;
      chunks.shift();
      offset = 0;
    }
    waiting -= length;
    return pcm;
  };

  const fill = () => {
    while (waiting > 0 && flying < ahead_samples && !is_ended) {
      const pcm = take(Math.min(waiting, piece_samples));
      const mark = `p${marks_made++}`;
      if (in_flight.length === 0) playing_since_ms = clock.ms();
      in_flight.push({ mark, pcm });
      flying += pcm.length;
      deps.send(pcm, mark);
    }
    waitForMark();
  };

  /** One timer for many marks: whoever set it looks who is first by then. */
  const waitForMark = () => {
    const [first] = in_flight;
    if (cancelPatience || !first) return;
    const due_ms = playing_since_ms + msOf(first.pcm.length) + lost_mark_ms;
    cancelPatience = clock.after(Math.max(0, due_ms - clock.ms()), () => {
      cancelPatience = null;
      if (in_flight[0] === first) confirm(first.mark);
      else waitForMark();
    });
  };

  const tell = (pcm: Int16Array, length: number) => {
    heard += length;
    if (!played) return;
    for (let at = 0; at < length; at += frame_samples) {
      const frame = new Int16Array(frame_samples);
      frame.set(pcm.subarray(at, Math.min(at + frame_samples, length)));
      played(frame);
    }
  };

  /** Of the first piece in flight, how much must have been heard by now. */
  const position = (): number => {
    const [first] = in_flight;
    return first ? Math.min(first.pcm.length, samplesOf(clock.ms() - playing_since_ms)) : 0;
  };

  /** A mark of a piece that was dropped means nothing. */
  function confirm(mark: string): void {
    let count = 1;
    while (count <= in_flight.length && in_flight[count - 1]!.mark !== mark) count++;
    if (count > in_flight.length) return;
    for (; count > 0; count--) {
      const { pcm } = in_flight.shift()!;
      flying -= pcm.length;
      tell(pcm, pcm.length);
    }
    playing_since_ms = clock.ms();
    while (waiters[0] && waiters[0].at_sample <= heard) waiters.shift()!.settle('played');
    fill();
  }

  const drop = () => {
    const [first] = in_flight;
    if (first) tell(first.pcm, position());
    cancelPatience?.();
    cancelPatience = null;
    chunks = [];
    in_flight = [];
    offset = waiting = flying = 0;
    const dropped = waiters;
    waiters = [];
    for (const { settle } of dropped) settle('cleared');
  };

  return {
    write(pcm: Int16Array): void {
      if (is_ended || pcm.length === 0) return;
      chunks.push(pcm);
      waiting += pcm.length;
      fill();
    },
    mark(): Promise<'played' | 'cleared'> {
      if (is_ended) return Promise.resolve('cleared');
      if (waiting + flying === 0) return Promise.resolve('played');
      return new Promise((settle) => waiters.push({ at_sample: heard + flying + waiting, settle }));
    },
    confirm,
    /** Each frame once it has been heard. */
    onPlayed(listener: (frame: Int16Array) => void): void {
      played = listener;
    },
    clear(): void {
      const is_busy = in_flight.length > 0;
      drop();
      if (is_busy) deps.clear();
    },
    played_ms: () => msOf(heard + position()),
    end(): void {
      is_ended = true;
      drop();
    },
  };
}
