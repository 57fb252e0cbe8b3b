// Events: the log of what happened, to read and to follow.
import { events } from '@parley/contract/events';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { eventStore } from './store.ts';
import { eventStreams } from './stream.ts';

export function eventFeature(deps: {
  db: Database;
  /** Old events are deleted by it. */
  expiry_clock: Clock;
  log: Log;
  heartbeat_ms: number;
  kept_days: number;
  /** Removes what hangs on events of before a moment; false when there may be more. */
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
        // First what needs the event's words; a stop in between leaves nothing that points nowhere.
        while (!(await deps.forgetDependents(before))) signal.throwIfAborted();
        while (!(await store.forget(before))) signal.throwIfAborted();
      },
    },
  ];
  return {
    jobs,
    wake: streams.wake,
    routes: [
      routesOf(events, {
        list: ({ query }, context) => store.list(context.organization_id, query),
        stream: (_, context) =>
          streams.open(context.caller.credential_id, context.organization_id, context.last_event_id),
      }),
    ],
  };
}
