// The HTTP operations of retention.
import { retention } from '@parley/contract/operations/retention';
import { routesOf } from '../../../platform/http/context.ts';
import type { RetentionService } from './service.ts';

export const retentionRoutes = (service: RetentionService) =>
  routesOf(retention, {
    get: (_, { organization_id }) => service.get(organization_id),
    update: ({ body }, context) => service.update(context, body),
  });
