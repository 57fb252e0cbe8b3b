// The HTTP operations of the request log.
import { requestLog } from '@parley/contract/operations/request-log';
import { ApiError } from '../../../platform/http/api-error.ts';
import { routesOf } from '../../../platform/http/context.ts';
import { presentRequest } from './present-request.ts';
import type { RequestLogStore } from './store.ts';

/** What this process has not written yet is written before the log is read. */
export const requestLogRoutes = (store: RequestLogStore, flush: () => Promise<void>) =>
  routesOf(requestLog, {
    async get({ params }, context) {
      await flush();
      const request = await store.find(context.organization_id, params.request_id);
      if (!request) throw new ApiError('not_found');
      return presentRequest(request);
    },
    async list({ query }, context) {
      await flush();
      const { items: rows, next_cursor } = await store.list(context.organization_id, query);
      return { items: rows.map(presentRequest), next_cursor };
    },
  });
