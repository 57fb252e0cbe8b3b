// Stops what was started, in the reverse order. A step that fails or hangs never keeps the next ones from running.
import { untilCut } from './drain.ts';
import type { Log } from './log.ts';

/** Gets the signal after which it must not wait for anybody any more. */
export type StopStep = (cut: AbortSignal) => unknown;

/** After the cut, how long a step may take to put its things away. */
const step_limit_ms = 5000;

export type StopStack = {
  /** A step that is pushed while the stop runs, or after it, is run at once. */
  push(name: string, step: StopStep, options?: { limit_ms?: number }): void;
  /** Starts the grace period: when it ends, work under way is cut. */
  beginGrace(): void;
  /** Ends the grace period now. */
  hurry(): void;
  cut: AbortSignal;
  /** False when a step failed. The same stop for everybody who asks. */
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
      // What it left under way ends with the process.
      if (!is_done) log.warn({ step: name }, 'a step of the stop did not end in time');
      return true;
    } catch (error) {
      log.error({ step: name, err: error }, 'a step of the stop failed');
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
    let went_well = true;
    for (let step = steps.pop(); step; step = steps.pop()) went_well = (await run(step)) && went_well;
    clearTimeout(grace);
    return went_well;
  };

  return {
    push(name, step, options = {}) {
      const named = { name, step, limit_ms: options.limit_ms ?? step_limit_ms };
      if (stopping) stopping = stopping.then(async (went_well) => (await run(named)) && went_well);
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
