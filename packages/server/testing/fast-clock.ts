// A media clock that runs faster than real time, so that a call of a minute with stub engines takes seconds.
import type { MediaClock } from '../src/providers/media/media-clock.ts';

type Timer = { due_ms: number; order: number; run(): void };

/**
 * One step never passes more than the length of a frame. On a busy machine, where a step comes late, the clock falls
 * behind real time instead of jumping: a timeout does not expire before the work that it limits could run.
 */
const max_step_ms = 20;

export function fastClock(speed: number): MediaClock {
  const timers = new Set<Timer>();
  const tickers = new Set<() => void>();
  let now_ms = 0;
  let order = 0;
  let stepped_at_ms = 0;
  let driver: NodeJS.Timeout | undefined;

  const step = () => {
    const real_ms = performance.now();
    const end_ms = now_ms + Math.min(max_step_ms, (real_ms - stepped_at_ms) * speed);
    stepped_at_ms = real_ms;
    for (let due = dueTimers(timers, end_ms); due.length > 0; due = dueTimers(timers, end_ms)) {
      for (const timer of due) {
        // An earlier timer may have canceled it.
        if (!timers.delete(timer)) continue;
        now_ms = Math.max(now_ms, timer.due_ms);
        timer.run();
      }
    }
    now_ms = end_ms;
    drive();
  };

  /** Steps only while there are timers. Only a periodic one, such as that of an open line, keeps the process alive. */
  const drive = () => {
    if (timers.size === 0) {
      clearInterval(driver);
      driver = undefined;
      return;
    }
    if (!driver) {
      stepped_at_ms = performance.now();
      driver = setInterval(step, 1);
    }
    if (tickers.size > 0) driver.ref();
    else driver.unref();
  };

  const add = (delay_ms: number, run: () => void): Timer => {
    const timer = { due_ms: now_ms + Math.max(0, delay_ms), order: order++, run };
    timers.add(timer);
    drive();
    return timer;
  };

  return {
    ms: () => now_ms,
    after(delay_ms, run) {
      const timer = add(delay_ms, run);
      return () => void timers.delete(timer);
    },
    every(period_ms, tick) {
      tickers.add(tick);
      let timer: Timer;
      const run = () => {
        timer = add(period_ms, run);
        tick();
      };
      timer = add(period_ms, run);
      return () => {
        tickers.delete(tick);
        timers.delete(timer);
      };
    },
  };
}

const dueTimers = (timers: Set<Timer>, end_ms: number): Timer[] =>
  [...timers]
    .filter(({ due_ms }) => due_ms <= end_ms)
    .sort((one, other) => one.due_ms - other.due_ms || one.order - other.order);
