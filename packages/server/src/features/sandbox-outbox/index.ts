// The sandbox's outbox: what the pretended transports were handed.
import { sandboxOutbox } from '@parley/contract/sandbox-outbox';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { type OutboxRow, sandboxOutboxStore } from './store.ts';

const kept_days = 30;

export function sandboxOutboxFeature(deps: { db: Database; clock: Clock; ids: Ids; is_on: boolean }) {
  const store = sandboxOutboxStore(deps.db);
  const jobs: JobHandler[] = [
    {
      kind: 'forget_sandbox_outbox',
      every_seconds: 3600,
      run: async () => void (await store.forgetBefore(new Date(deps.clock.ms() - kept_days * 86_400_000))),
    },
  ];
  return {
    jobs,
    /** The INSERT that keeps what was handed over, for the commit that says it was. */
    keeping: (handed: Omit<OutboxRow, 'id' | 'handed_at'>[]): Sql => {
      const handed_at = deps.clock.now().toISOString();
      return store.insertionOf(handed.map((each) => ({ id: deps.ids.next(), handed_at, ...each })));
    },
    routes: routesOf(sandboxOutbox, {
      list: ({ query }, context) => {
        if (!deps.is_on) throw new ApiError('not_found', { detail: 'The sandbox is off.' });
        return store.list(context.organization_id, query);
      },
    }),
  };
}
