// A media clock that runs faster than the world: a call with stub engines takes seconds where it took a minute.
import type { MediaClock } from '../src/providers/media/media-clock.ts';

export function fastClock(speed: number): MediaClock {
  const ms = () => performance.now() * speed;
  return {
    ms,
    after(delay_ms, run) {
      // Nobody waits for the end of a process because of what might have come.
      const timer = setTimeout(run, delay_ms / speed).unref();
      return () => clearTimeout(timer);
    },
    every(period_ms, tick) {
      const started_ms = ms();
      let ticks = 0;
      const timer = setInterval(() => {
        const due = Math.floor((ms() - started_ms) / period_ms);
        // What a tick sets off gets its turn before the next one, or the parties would talk past each other.
        if (ticks < due) {
          ticks++;
          tick();
        }
      }, 1);
      return () => clearInterval(timer);
    },
  };
}
