// Events: the log of what happened, to read and to follow.
import { events } from '@parley/contract/events';
import type { Database } from '../../platform/db/database.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { Log } from '../../platform/log.ts';
import { eventStore } from './store.ts';
import { eventStreams } from './stream.ts';

export function eventLog(deps: { db: Database; log: Log; heartbeat_ms: number }) {
  const store = eventStore(deps.db);
  const streams = eventStreams({ store, log: deps.log, heartbeat_ms: deps.heartbeat_ms });
  return {
    wake: streams.wake,
    routes: routesOf(events, {
      list: ({ query }, context) => store.list(context.organization_id, query),
      stream: (_, context) =>
        streams.open(context.caller.credential_id, context.organization_id, context.last_event_id),
    }),
  };
}
