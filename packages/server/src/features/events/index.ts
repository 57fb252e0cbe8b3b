// Events: the event log, as a list and as a stream.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { eventRoutes } from './routes.ts';
import { eventStore } from './store.ts';
import { eventStreams } from './stream.ts';

export function eventFeature(deps: {
  db: Database;
  /** Decides when events are old enough to delete. */
  expiry_clock: Clock;
  log: Log;
  heartbeat_ms: number;
  kept_days: number;
  /** Deletes records that need an event from before a time; false when there may be more. */
  forgetDependents(before: Date): Promise<boolean>;
}) {
  const store = eventStore(deps.db);
  const streams = eventStreams({ store, log: deps.log, heartbeat_ms: deps.heartbeat_ms });
  const jobs: JobHandler[] = [
    {
      kind: 'forget_old_events',
      every_seconds: 3600,
      async run(_, signal) {
        const before = new Date(deps.expiry_clock.ms() - deps.kept_days * 86_400_000);
        // Dependent records first: if the process stops in between, none of them has lost its event.
        while (!(await deps.forgetDependents(before))) signal.throwIfAborted();
        while (!(await store.deleteBefore(before))) signal.throwIfAborted();
      },
    },
  ];
  return {
    jobs,
    wake: streams.wake,
    routes: [eventRoutes(store, streams)],
  };
}
