// The HTTP operations of set-aside work.
import { setAsideWork } from '@parley/contract/operations/set-aside-work';
import { routesOf } from '../../../platform/http/context.ts';
import type { SetAsideWorkService } from './service.ts';

export const setAsideRoutes = (service: SetAsideWorkService) =>
  routesOf(setAsideWork, {
    list: ({ query }) => service.list(query),
    get: ({ params }) => service.get(params.set_aside_work_id),
    run: ({ params }, context) => service.runAgain(context, params.set_aside_work_id),
    delete: ({ params }, context) => service.delete(context, params.set_aside_work_id),
  });
