// The projector: keeps views of the records (projections) current, after the commits that change the records.
import type { Metrics } from '../../../platform/metrics.ts';
import { fillJob } from './fill-job.ts';
import { projector } from './projector.ts';
import type { ProjectorDeps } from './run-batch.ts';

export { fillProgress, queueDepth, replaceQueueByFills, requestFills } from './fill-store.ts';
export { projectorPersonalData } from './personal-data-store.ts';
export {
  type CallRecord,
  type ContactRecord,
  type ConversationRef,
  type EmailRecord,
  max_text_chars,
  type ProjectedNoun,
  type ProjectedRecord,
  type Projection,
  type ProjectionBatch,
  projected_nouns,
  type RecordRef,
  type SmsRecord,
} from './projection.ts';
export type { Projector } from './projector.ts';
export { queueProjections } from './queue-store.ts';
export { type EmailText, readRecords } from './record-store.ts';

export function projectorFeature(
  deps: Omit<ProjectorDeps, 'countProjected' | 'countGivenUp'> & { metrics: Metrics },
) {
  const { metrics } = deps;
  const countRow = metrics.counter(
    'parley_projected_records_total',
    'Changed records whose projections this process wrote.',
  );
  const countGivenUp = metrics.counter(
    'parley_projections_given_up_total',
    'Changed records whose projections failed ten times. rebuild-projections writes them again.',
  );
  const running = projector({ ...deps, countProjected: countRow, countGivenUp });
  return {
    jobs: [fillJob({ db: deps.db, wake: running.wake })],
    start: running.start,
    stop: running.stop,
    /** Writes everything that is due. Not `drain`, which is a step of a stop. */
    drainDue: running.drain,
    waiters: [running],
    wake: running.wake,
    eventsStored: running.wake,
  };
}
