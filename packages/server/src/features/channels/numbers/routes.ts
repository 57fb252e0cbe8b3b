// The HTTP operations of numbers and of the pool.
import { numbers } from '@parley/contract/channels/numbers/numbers';
import { poolNumbers } from '@parley/contract/channels/numbers/pool-numbers';
import { routesOf } from '../../../platform/http/context.ts';
import type { PoolService } from './pool/pool.ts';
import type { NumberService } from './service.ts';

export const numberRoutes = (service: NumberService) =>
  routesOf(numbers, {
    quote: ({ body }, context) => service.quote(context.organization_id, body),
    create: ({ body }, context) => service.create(context.organization_id, body, context),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.number_id),
    update: ({ params, body }, context) => service.update(context.organization_id, params.number_id, body),
    release: ({ params }, context) => service.release(context.organization_id, params.number_id),
  });

export const poolRoutes = (pool: PoolService) =>
  routesOf(poolNumbers, {
    create: ({ body }) => pool.add(body),
    list: ({ query }) => pool.list(query),
    update: ({ params, body }) => pool.setState(params.pool_number_id, body.provisioning_state),
  });
