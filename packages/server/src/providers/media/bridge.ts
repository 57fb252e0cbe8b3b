// Connects two live calls: each party hears the other one, with a short and limited delay.
import type { MediaClock } from './media-clock.ts';
import { frame_ms, type MediaSession } from './media-session.ts';

type BridgedSession = Pick<MediaSession, 'write' | 'sendDigits'>;

/** Audio that is written this far ahead of the line hides the jitter of the other one. */
const ahead_ms = 60;
/** More waiting audio than this is dropped, the oldest first. */
const longest_ms = 120;
/** Frames below this level are silence: the first to be left out when too much audio waits. */
const silence_level = 200;

export type Bridge = {
  /** A frame that the first party said. Its array is copied. */
  fromFirst(frame: Int16Array): void;
  fromSecond(frame: Int16Array): void;
  /** A key that the first party pressed. */
  digitFromFirst(digit: string): void;
  digitFromSecond(digit: string): void;
  stop(): void;
};

/** The caller passes on what both sessions report, because each session has one listener only. */
export function bridge(deps: { clock: MediaClock; first: BridgedSession; second: BridgedSession }): Bridge {
  const { clock, first, second } = deps;
  const [to_second, to_first] = [direction(clock, second), direction(clock, first)];
  let is_stopped = false;
  const press = (session: BridgedSession, digit: string) => {
    if (!is_stopped) void session.sendDigits(digit).catch(() => {});
  };
  return {
    fromFirst: to_second.push,
    fromSecond: to_first.push,
    digitFromFirst: (digit) => press(second, digit),
    digitFromSecond: (digit) => press(first, digit),
    stop() {
      is_stopped = true;
      to_second.stop();
      to_first.stop();
    },
  };
}

/** One direction. The line plays at the speed of the clock, so what it still has to play follows from what was written. */
function direction(clock: MediaClock, to: BridgedSession) {
  const waiting: Int16Array[] = [];
  /** When the line will have played everything that was written. */
  let played_until_ms = 0;
  let cancelTimer: (() => void) | null = null;
  let is_stopped = false;

  const unplayed_ms = () => Math.max(0, played_until_ms - clock.ms());
  const delay_ms = () => unplayed_ms() + waiting.length * frame_ms;

  const write = (frame: Int16Array, now_ms: number) => {
    played_until_ms = Math.max(played_until_ms, now_ms) + frame_ms;
    to.write(frame);
  };
  const flush = () => {
    cancelTimer = null;
    while (waiting.length > 0 && unplayed_ms() < ahead_ms) write(waiting.shift()!, clock.ms());
    if (waiting.length > 0) cancelTimer = clock.after(unplayed_ms() - ahead_ms + 1, flush);
  };

  return {
    push(frame: Int16Array): void {
      if (is_stopped) return;
      const now_ms = clock.ms();
      // The usual case, 100 times a second and call: nothing waits.
      if (waiting.length === 0 && played_until_ms - now_ms < ahead_ms) {
        write(frame.slice(), now_ms);
        return;
      }
      // The delay that a burst caused would stay: pauses in speech take it back.
      if (delay_ms() >= ahead_ms && isSilent(frame)) return;
      waiting.push(frame.slice());
      if (delay_ms() > longest_ms) while (delay_ms() > ahead_ms && waiting.length > 1) waiting.shift();
      if (!cancelTimer) flush();
    },
    stop(): void {
      is_stopped = true;
      cancelTimer?.();
      waiting.length = 0;
    },
  };
}

function isSilent(frame: Int16Array): boolean {
  for (const sample of frame) if (sample > silence_level || sample < -silence_level) return false;
  return true;
}
