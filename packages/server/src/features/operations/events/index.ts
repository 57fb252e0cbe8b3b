// Events: the event log, as a list and as a stream.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import {
  createPartitionsAhead,
  dropPartitionsBefore,
  type PartitionedTable,
  partitionDays,
} from '../../../platform/db/partitions.ts';
import type { StoredEvent } from '../../../platform/event.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import { eventRoutes } from './routes.ts';
import { type EventStore, eventStore } from './store.ts';
import { eventStreams } from './stream.ts';

export { eventPersonalData } from './personal-data-store.ts';

type EventDeps = {
  db: Database;
  /** Event ids start with its time. */
  clock: Clock;
  /** Cannot be moved. */
  wall_clock: Clock;
  /** Decides when events are old enough to delete. */
  expiry_clock: Clock;
  log: Log;
  heartbeat_ms: number;
  kept_days: number;
  /** Deletes the webhook deliveries of events before a time; false when there may be more. */
  deleteDeliveriesBefore(before: Date): Promise<boolean>;
};

export function eventFeature(deps: EventDeps) {
  const store = eventStore(deps.db, deps.wall_clock);
  const streams = eventStreams({ store, log: deps.log, heartbeat_ms: deps.heartbeat_ms });
  return {
    jobs: retentionJobs(deps, store),
    eventsStored: (events: readonly StoredEvent[]) =>
      streams.wake(events.map(({ organization_id }) => organization_id)),
    /** For explain: the first events about a record, oldest first. */
    ofResource: store.ofResource,
    routes: [eventRoutes(store, streams)],
  };
}

/** Retention drops partitions. Rows are deleted only where a partition covers a longer time than usual. */
function retentionJobs(deps: EventDeps, store: EventStore): JobHandler[] {
  const { db, clock, expiry_clock, kept_days, deleteDeliveriesBefore } = deps;
  const days = partitionDays(kept_days);
  // Deliveries first: if the process stops in between, none of them has lost its event.
  const tables: [PartitionedTable, (before: Date) => Promise<boolean>][] = [
    ['webhook_deliveries', deleteDeliveriesBefore],
    ['events', store.deleteBefore],
  ];
  return [
    {
      kind: 'create_event_partitions',
      every_seconds: 3600,
      async run() {
        for (const [table] of tables) await createPartitionsAhead(db, table, { now_ms: clock.ms(), days });
      },
    },
    {
      kind: 'forget_old_events',
      every_seconds: 3600,
      async run(_, signal) {
        const before_ms = expiry_clock.ms() - kept_days * 86_400_000;
        for (const [table, deleteBefore] of tables) {
          const { has_wide_partition } = await dropPartitionsBefore(db, table, { before_ms, days });
          if (!has_wide_partition) continue;
          while (!(await deleteBefore(new Date(before_ms)))) signal.throwIfAborted();
        }
      },
    },
  ];
}
