// A loop that does background work: after a wake-up, and at regular intervals. One run at a time, until it is stopped.
import { untilCut } from './drain.ts';

export type BackgroundLoop = ReturnType<typeof backgroundLoop>;

export function backgroundLoop(options: {
  /** What a started loop does. It should return early when `isStopped` is true. */
  work(isStopped: () => boolean): Promise<void>;
  poll_ms: number;
  /** A run that fails is repeated at the next interval. */
  failed(error: unknown): void;
}) {
  let state: 'idle' | 'started' | 'stopped' = 'idle';
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let due_ms = 0;

  /** Joins a run that is going on: a second one would skip the rows of the first and end before them. */
  const run = (work = options.work): Promise<void> => {
    running ??= work(() => state === 'stopped').finally(() => {
      running = null;
    });
    return running;
  };

  const schedule = (delay_ms: number): void => {
    if (state !== 'started') return;
    const next_ms = performance.now() + delay_ms;
    if (timer && due_ms <= next_ms) return;
    clearTimeout(timer);
    due_ms = next_ms;
    timer = setTimeout(() => {
      timer = undefined;
      run()
        .catch(options.failed)
        .finally(() => schedule(options.poll_ms));
    }, delay_ms).unref();
  };

  return {
    start(): void {
      state = 'started';
      schedule(0);
    },

    /** Runs within this time. Wake-ups before the run are joined into it. */
    wakeIn: schedule,

    /** A run that begins now, also in a loop that was not started: for the sandbox clock and for tests. */
    async runOnce(work = options.work): Promise<void> {
      if (running) await running.catch(() => {});
      await run(work);
    },

    async stop(cut?: AbortSignal): Promise<void> {
      state = 'stopped';
      clearTimeout(timer);
      if (running)
        await untilCut(
          running.catch(() => {}),
          cut,
        );
    },
  };
}
