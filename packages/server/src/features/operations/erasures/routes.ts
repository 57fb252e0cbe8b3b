// The HTTP operations of erasures.
import { erasures } from '@parley/contract/operations/erasures';
import { routesOf } from '../../../platform/http/context.ts';
import type { ErasureService } from './service.ts';

export const erasureRoutes = (service: ErasureService) =>
  routesOf(erasures, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, { organization_id }) => service.list(organization_id, query),
    get: ({ params }, { organization_id }) => service.get(organization_id, params.erasure_id),
    replay: ({ body }, context) => service.replay(context, body.erasures),
  });
