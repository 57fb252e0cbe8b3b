// The HTTP operations of calls.
import { calls } from '@parley/contract/calls';
import { routesOf } from '../../platform/http/context.ts';
import type { CallService } from './service.ts';

export const callRoutes = (service: CallService) =>
  routesOf(calls, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    stats: ({ query }, context) => service.stats(context.organization_id, query),
    get: ({ params, query }, context) => service.get(context, params.call_id, query.wait_seconds),
    update: ({ params, body }, context) =>
      service.reschedule(context.organization_id, params.call_id, body.scheduled_at),
    cancel: ({ params }, context) => service.cancel(context.organization_id, params.call_id, context),
    transcript: ({ params }, context) => service.transcript(context, params.call_id),
    events: ({ params, query }, context) => service.events(context.organization_id, params.call_id, query),
    recording: ({ params }, context) => service.recording(context.organization_id, params.call_id),
  });
