// The request log: which requests were handled in the last days, and how.

import type { LoggedRequest } from '@parley/contract/operations/request-log';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import {
  createPartitionsAhead,
  dropPartitionsBefore,
  partitionDays,
} from '../../../platform/db/partitions.ts';
import type { HandledRequest, LogRequest } from '../../../platform/http/handled-request.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { presentRequest } from './present-request.ts';
import { requestLogRoutes } from './routes.ts';
import { type RequestLogStore, type RequestRow, requestLogStore } from './store.ts';
import { writeBehind } from './write-behind.ts';

export { requestLogPersonalData } from './personal-data-store.ts';

/** About 5 MB of memory. */
const max_waiting = 10_000;
const max_batch = 1000;
const delay_ms = 500;

type RequestLogDeps = {
  db: Database;
  ids: Ids;
  clock: Clock;
  /** Decides when requests are old enough to delete. */
  expiry_clock: Clock;
  /** 0: requests are not logged. */
  kept_days: number;
  /** Also GET requests that succeeded. */
  keeps_reads: boolean;
  /** This many requests are missing in the log. */
  countDropped(count?: number): void;
};

export function requestLogFeature(deps: RequestLogDeps) {
  const { ids, kept_days } = deps;
  const store = requestLogStore(deps.db);
  const writer = writeBehind<RequestRow>({
    write: store.insert,
    dropped: deps.countDropped,
    max_waiting,
    max_batch,
    delay_ms,
  });
  const logRequest: LogRequest = (handled) => {
    if (!isKept(handled, deps.keeps_reads)) return;
    const { id_from_client, ...request } = handled;
    writer.add({ ...request, id: id_from_client ? ids.next() : request.request_id });
  };
  return {
    logRequest: kept_days > 0 ? logRequest : undefined,
    /** For explain: requests that created or changed a record. */
    async changesOf(organization_id: string, object_id: string, limit: number): Promise<LoggedRequest[]> {
      await writer.flush();
      return (await store.changesOf(organization_id, object_id, limit)).map(presentRequest);
    },
    routes: [requestLogRoutes(store, writer.flush)],
    jobs: retentionJobs(deps, store),
    stop: writer.flush,
    close: writer.flush,
  };
}
export type RequestLog = ReturnType<typeof requestLogFeature>;

/** Requests to the log itself are never kept. */
function isKept({ method, status, operation }: HandledRequest, keeps_reads: boolean): boolean {
  if (operation.startsWith('requests.')) return false;
  return keeps_reads || method !== 'GET' || status >= 400;
}

/** Retention drops partitions. Rows are deleted only where a partition covers a longer time than usual. */
function retentionJobs(
  { db, clock, expiry_clock, kept_days }: RequestLogDeps,
  store: RequestLogStore,
): JobHandler[] {
  const days = partitionDays(Math.max(1, kept_days));
  return [
    {
      kind: 'create_request_log_partitions',
      every_seconds: 3600,
      run: () => createPartitionsAhead(db, 'request_log', { now_ms: clock.ms(), days }),
    },
    {
      kind: 'forget_old_requests',
      every_seconds: 3600,
      async run(_, signal) {
        const before_ms = expiry_clock.ms() - kept_days * 86_400_000;
        const { has_wide_partition } = await dropPartitionsBefore(db, 'request_log', { before_ms, days });
        if (!has_wide_partition) return;
        while (!(await store.deleteBefore(new Date(before_ms)))) signal.throwIfAborted();
      },
    },
  ];
}
