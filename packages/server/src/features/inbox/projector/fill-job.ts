// The job that queues existing records: only as many as the projector takes soon, so that new records do not wait behind them.
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../../platform/db/database.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { fillStep, queueDepth } from './fill-store.ts';

const step_records = 1000;
const max_queued = 2000;
const pause_ms = 100;
/** Shorter than the lease of the job; the next run goes on. */
const run_ms = 40_000;

export const fillJob = (deps: { db: Database; wake(): void }): JobHandler => ({
  kind: 'fill_projections',
  every_seconds: 10,
  async run(_, signal) {
    const ends_ms = performance.now() + run_ms;
    while (!signal.aborted && performance.now() < ends_ms) {
      if ((await queueDepth(deps.db, max_queued)) >= max_queued) {
        await wait(pause_ms);
        continue;
      }
      if (!(await fillStep(deps.db, step_records))) return;
      deps.wake();
    }
  },
});
