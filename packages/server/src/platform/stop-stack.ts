// Stops what was started, in reverse order. A step that fails or hangs does not prevent the next ones.
import { untilCut } from './drain.ts';
import type { Log } from './log.ts';

/** After the signal aborts, the step must not wait for work any more. */
export type StopStep = (cut: AbortSignal) => unknown;

/** How long a step may take to clean up after the cut. */
const step_limit_ms = 5000;

export type StopStack = {
  /** A step that is pushed during or after the stop runs immediately. */
  push(name: string, step: StopStep, options?: { limit_ms?: number }): void;
  /** Starts the grace period; when it ends, `cut` aborts. */
  beginGrace(): void;
  /** Ends the grace period now. */
  hurry(): void;
  cut: AbortSignal;
  /** False when a step failed. Repeated calls return the same promise. */
  stop(): Promise<boolean>;
};

export function stopStack(deps: { log: Log; grace_ms: number }): StopStack {
  const { log } = deps;
  type Named = { name: string; step: StopStep; limit_ms: number };
  const steps: Named[] = [];
  const cutting = new AbortController();
  const cut = cutting.signal;
  let grace: NodeJS.Timeout | undefined;
  let stopping: Promise<boolean> | null = null;

  const run = async ({ name, step, limit_ms }: Named): Promise<boolean> => {
    const limit = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startLimit = () => {
      timer = setTimeout(() => limit.abort(), limit_ms);
    };
    if (cut.aborted) startLimit();
    else cut.addEventListener('abort', startLimit, { once: true });
    try {
      const is_done = await untilCut(Promise.resolve(step(cut)), limit.signal);
      // Its unfinished work ends with the process.
      if (!is_done) log.warn({ step: name }, 'stop step timed out');
      return true;
    } catch (error) {
      log.error({ step: name, err: error }, 'stop step failed');
      return false;
    } finally {
      cut.removeEventListener('abort', startLimit);
      clearTimeout(timer);
    }
  };

  const beginGrace = () => {
    grace ??= setTimeout(() => cutting.abort(), deps.grace_ms);
  };

  const stopAll = async (): Promise<boolean> => {
    beginGrace();
    let succeeded = true;
    for (let step = steps.pop(); step; step = steps.pop()) succeeded = (await run(step)) && succeeded;
    clearTimeout(grace);
    return succeeded;
  };

  return {
    push(name, step, options = {}) {
      const named = { name, step, limit_ms: options.limit_ms ?? step_limit_ms };
      if (stopping) stopping = stopping.then(async (succeeded) => (await run(named)) && succeeded);
      else steps.push(named);
    },
    beginGrace,
    hurry: () => cutting.abort(),
    cut,
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}
