// The HTTP operations of quiet hours.
import { quietHours } from '@parley/contract/rules/quiet-hours';
import { routesOf } from '../../../platform/http/context.ts';
import type { QuietHoursService } from './service.ts';

export const quietHoursRoutes = (service: QuietHoursService) =>
  routesOf(quietHours, {
    get: (_, context) => service.get(context.organization_id),
    set: ({ body }, context) => service.set(context, body),
    delete: (_, context) => service.delete(context),
  });
