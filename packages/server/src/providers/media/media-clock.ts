// The clock of live calls. It does not jump when the service's clock is moved, and tests can replace it.

export type MediaClock = {
  /** Monotonic time in milliseconds, from an arbitrary start. */
  ms(): number;
  /** Runs once. Returns a function that cancels it. */
  after(delay_ms: number, run: () => void): () => void;
  /** Runs periodically without drift: after a late tick the missed ticks follow. Returns a function that stops it. */
  every(period_ms: number, tick: () => void): () => void;
};

export function realTimeClock(): MediaClock {
  return {
    ms: () => performance.now(),
    after(delay_ms, run) {
      const timer = setTimeout(run, delay_ms);
      return () => clearTimeout(timer);
    },
    every(period_ms, tick) {
      const started_ms = performance.now();
      let ticks = 0;
      let timer: NodeJS.Timeout | null = null;
      let ended = false;
      const run = () => {
        const due = Math.floor((performance.now() - started_ms) / period_ms);
        while (ticks < due && !ended) {
          ticks++;
          tick();
        }
        const next_ms = started_ms + (ticks + 1) * period_ms;
        if (!ended) timer = setTimeout(run, Math.max(0, next_ms - performance.now()));
      };
      timer = setTimeout(run, period_ms);
      return () => {
        ended = true;
        if (timer) clearTimeout(timer);
      };
    },
  };
}
