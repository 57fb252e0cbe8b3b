// The HTTP operations of waits.
import { waits } from '@parley/contract/inbox/waits';
import { routesOf } from '../../../platform/http/context.ts';
import type { WaitService } from './service.ts';

export const waitRoutes = (service: WaitService) =>
  routesOf(waits, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context, query),
    get: ({ params, query }, context) => service.get(context, params.wait_id, query.wait_seconds),
    cancel: ({ params }, context) => service.cancel(context, params.wait_id),
  });
