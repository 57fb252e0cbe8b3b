// Stops what was started, in reverse order. A step that fails or hangs does not prevent the next ones.
import { untilCut } from './drain.ts';
import type { Log } from './log.ts';

/** After the signal aborts, the step must not wait for work any more. */
export type StopStep = (cut: AbortSignal) => unknown;

/** How long a step may take to clean up after the cut. */
const step_limit_ms = 5000;

type StopOptions = {
  limit_ms?: number;
  /** The step may take as long as it needs; the grace period starts again after it. */
  is_before_grace?: boolean;
};

export type StopStack = {
  /** A step that is pushed during or after the stop runs immediately. */
  push(name: string, step: StopStep, options?: StopOptions): void;
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
  type Named = { name: string; step: StopStep; limit_ms: number; is_before_grace: boolean };
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
    for (let step = steps.pop(); step; step = steps.pop()) {
      if (step.is_before_grace) {
        clearTimeout(grace);
        grace = undefined;
      }
      succeeded = (await run(step)) && succeeded;
      beginGrace();
    }
    clearTimeout(grace);
    return succeeded;
  };

  return {
    push(name, step, options = {}) {
      const { limit_ms = step_limit_ms, is_before_grace = false } = options;
      const named = { name, step, limit_ms, is_before_grace };
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
