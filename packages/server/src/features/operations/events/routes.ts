// The HTTP operations of events.
import { events } from '@parley/contract/operations/events';
import { limitedAs, routesOf } from '../../../platform/http/context.ts';
import type { EventStore } from './store.ts';
import type { EventStreams } from './stream.ts';

export const eventRoutes = (store: EventStore, streams: EventStreams) =>
  routesOf(events, {
    list: ({ query }, context) => store.list(context.organization_id, query),
    stream: (_, context) =>
      streams.open(limitedAs(context.caller), context.organization_id, context.last_event_id),
  });
