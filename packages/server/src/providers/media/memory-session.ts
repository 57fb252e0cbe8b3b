// A call inside one process: two connected sessions, each receives the audio that the other plays.
import { earlyFrames } from './early-frames.ts';
import type { MediaClock } from './media-clock.ts';
import { frame_ms, frame_samples, type MediaEnd, type MediaSession } from './media-session.ts';
import { playbackQueue } from './playback-queue.ts';

type Side = {
  session: MediaSession;
  takeFrame(): Int16Array | null;
  receive(frame: Int16Array): void;
  receiveDigit(digit: string): void;
  isComputing(): boolean;
  end(how: MediaEnd): void;
};

export type MemoryCall = {
  caller: MediaSession;
  callee: MediaSession;
  /** Simulates a broken line. */
  fail(detail: string): void;
};

/** Both parties receive a frame every 20 ms of the clock, until one of them closes. */
export function memoryCall(deps: { clock: MediaClock }): MemoryCall {
  const silence = new Int16Array(frame_samples);

  const end = (caller_end: MediaEnd, callee_end: MediaEnd) => {
    stop();
    caller.end(caller_end);
    callee.end(callee_end);
  };
  const caller: Side = side({
    close: () => end({ by: 'us' }, { by: 'them' }),
    press: (digit) => callee.receiveDigit(digit),
    peerIsComputing: () => callee.isComputing(),
  });
  const callee: Side = side({
    close: () => end({ by: 'them' }, { by: 'us' }),
    press: (digit) => caller.receiveDigit(digit),
    peerIsComputing: () => caller.isComputing(),
  });

  const stop = deps.clock.every(frame_ms, () => {
    const [from_caller, from_callee] = [caller.takeFrame(), callee.takeFrame()];
    callee.receive(from_caller ?? silence);
    caller.receive(from_callee ?? silence);
  });

  return {
    caller: caller.session,
    callee: callee.session,
    fail: (detail) => end({ by: 'failure', detail }, { by: 'failure', detail }),
  };
}

function side(line: { close(): void; press(digit: string): void; peerIsComputing(): boolean }): Side {
  const queue = playbackQueue();
  const { promise: closed, resolve } = Promise.withResolvers<MediaEnd>();
  let is_open = true;
  let is_computing = false;
  const frames = earlyFrames();
  const listeners = {
    digit: (_digit: string) => {},
    played: (_pcm: Int16Array) => {},
  };

  return {
    session: {
      onFrame: frames.onFrame,
      onDigit(listener) {
        listeners.digit = listener;
      },
      onPlayed(listener) {
        listeners.played = listener;
      },
      write: queue.push,
      mark: queue.mark,
      clear: queue.clear,
      played_ms: queue.played_ms,
      async sendDigits(digits) {
        for (const digit of digits) line.press(digit);
      },
      close() {
        if (is_open) line.close();
      },
      closed,
      reportComputing(value) {
        is_computing = value;
      },
      peerIsComputing: line.peerIsComputing,
    },
    isComputing: () => is_computing,
    takeFrame() {
      const frame = queue.take();
      if (frame) listeners.played(frame);
      return frame;
    },
    receive(frame) {
      if (is_open) frames.push(frame);
    },
    receiveDigit(digit) {
      if (is_open) listeners.digit(digit);
    },
    end(how) {
      is_open = false;
      queue.end();
      resolve(how);
    },
  };
}
