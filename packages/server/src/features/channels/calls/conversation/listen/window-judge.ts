// Asks voice activity detection about each window of sound, in order. A window that it cannot judge is judged by its level.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import type { Vad } from '../../../../../providers/vad/vad.ts';

export type WindowJudge = {
  push(window: Int16Array): void;
  /** Resolves when every window so far was handled. */
  idle(): Promise<void>;
  close(): void;
};

type Callbacks = {
  /** `at_ms`: when the window arrived. */
  judged(window: Int16Array, at_ms: number, probability: number): void;
  /** Detection failed for many windows in a row. */
  failed(error: Error): void;
  /** Once, when it answered so late that the level decided. */
  late(): void;
};

/** `probability` is undefined until the window is judged, and null when that failed. */
type Entry = { window: Int16Array; at_ms: number; probability: number | null | undefined };

const longest_wait_ms = 5000;
const tolerated_failures = 20;
/** Up to here the window before speaks for one that failed. */
const few_failures = 3;
/** Average level. Line noise is far below it, speech far above. */
const audible = 150;

export function windowJudge(deps: { vad: Vad; clock: MediaClock; callbacks: Callbacks }): WindowJudge {
  const { clock, callbacks } = deps;
  const session = deps.vad.open();
  const queue: Entry[] = [];
  let failures = 0;
  let last = 0;
  let is_late = false;
  let is_closed = false;
  let cancelTimer: (() => void) | null = null;
  let idle = Promise.withResolvers<void>();

  const probabilityOf = ({ window, probability }: Entry): number => {
    if (typeof probability === 'number') return probability;
    if (failures <= few_failures && !is_late) return last;
    return isAudible(window) ? 1 : 0;
  };
  const handleReady = () => {
    while (queue[0] && queue[0].probability !== undefined) {
      const entry = queue.shift()!;
      last = probabilityOf(entry);
      callbacks.judged(entry.window, entry.at_ms, last);
    }
    if (queue.length === 0) idle.resolve();
  };
  const settle = (entry: Entry, probability: number | null) => {
    if (entry.probability !== undefined || is_closed) return;
    entry.probability = probability;
    handleReady();
  };
  /** One timer for the oldest window: one for each would cost more than the windows. */
  const watch = () => {
    if (cancelTimer || queue.length === 0) return;
    cancelTimer = clock.after(queue[0]!.at_ms + longest_wait_ms - clock.ms(), () => {
      cancelTimer = null;
      const limit_ms = clock.ms() - longest_wait_ms;
      const overdue = queue.filter(
        ({ at_ms, probability }) => at_ms <= limit_ms && probability === undefined,
      );
      if (overdue.length > 0 && !is_late) {
        is_late = true;
        callbacks.late();
      }
      for (const entry of overdue) settle(entry, null);
      watch();
    });
  };

  return {
    push(window) {
      const entry: Entry = { window, at_ms: clock.ms(), probability: undefined };
      if (queue.length === 0) idle = Promise.withResolvers();
      queue.push(entry);
      session.judge(window).then(
        (probability) => {
          failures = 0;
          is_late = false;
          settle(entry, probability);
        },
        (error: Error) => {
          failures++;
          if (failures === tolerated_failures && !is_closed) callbacks.failed(error);
          settle(entry, null);
        },
      );
      watch();
    },
    idle: () => (queue.length === 0 ? Promise.resolve() : idle.promise),
    close() {
      is_closed = true;
      cancelTimer?.();
      session.close();
      idle.resolve();
    },
  };
}

function isAudible(window: Int16Array): boolean {
  let sum = 0;
  for (const sample of window) sum += Math.abs(sample);
  return sum / window.length > audible;
}
