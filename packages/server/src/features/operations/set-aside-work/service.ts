// The rules of set-aside work: an entry is run again at most once, because its deletion and the new queue entry are one commit.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import { runJobAgain } from '../../../platform/job-store.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { type ProjectedNoun, projected_nouns, queueProjections } from '../../inbox/projector/index.ts';
import type { SetAsideFilter, SetAsideStore, StoredWork } from './store.ts';

export type SetAsideWorkDeps = {
  db: Database;
  clock: Clock;
  /** Decides when old entries are deleted. */
  wall_clock: Clock;
  jobs: Pick<Jobs, 'wake'>;
  audit: Pick<AuditLog, 'write'>;
  projector: { wake(): void };
  webhooks: {
    runAgain(
      tx: Transaction,
      delivery: { organization_id: string; subscription_id: string; id: string },
    ): Promise<boolean>;
  };
};

export function setAsideWorkService(deps: SetAsideWorkDeps, store: SetAsideStore) {
  const { db } = deps;
  return {
    list: (filter: SetAsideFilter) => store.list(filter),

    async get(id: string) {
      const entry = await store.find(id);
      if (!entry) throw new ApiError('not_found');
      return entry;
    },

    runAgain: (context: Context, id: string): Promise<undefined> =>
      db.transaction(async (tx) => {
        const work = await store.take(tx, id);
        if (!work) throw new ApiError('not_found');
        if (!(await queueAgain(deps, tx, work))) throw new ApiError('cannot_run_again');
        await writeAudit(deps, tx, { context, action: 'set_aside_work.run_again', work });
        return undefined;
      }),

    delete: (context: Context, id: string): Promise<undefined> =>
      db.transaction(async (tx) => {
        const work = await store.take(tx, id);
        if (!work) throw new ApiError('not_found');
        await writeAudit(deps, tx, { context, action: 'set_aside_work.deleted', work });
        return undefined;
      }),
  };
}
export type SetAsideWorkService = ReturnType<typeof setAsideWorkService>;

const isProjected = (kind: string): kind is ProjectedNoun => projected_nouns.some((noun) => noun === kind);

/** False when the work has its final state. */
async function queueAgain(
  { clock, jobs, projector, webhooks }: SetAsideWorkDeps,
  tx: Transaction,
  { queue, kind, organization_id, object_id, payload, unique_key }: StoredWork,
): Promise<boolean> {
  if (queue === 'jobs' && payload) {
    await runJobAgain(tx, { id: object_id, kind, payload, unique_key }, clock.now());
    tx.afterCommit(() => jobs.wake());
    return true;
  }
  if (queue === 'projections' && organization_id && isProjected(kind)) {
    await queueProjections(tx, [{ organization_id, noun: kind, id: object_id }]);
    tx.afterCommit(() => projector.wake());
    return true;
  }
  if (queue === 'webhook_deliveries' && organization_id) {
    const subscription_id = String(payload?.subscription_id);
    return webhooks.runAgain(tx, { organization_id, subscription_id, id: object_id });
  }
  return false;
}

const writeAudit = (
  { audit }: SetAsideWorkDeps,
  tx: Transaction,
  { context, action, work }: { context: Context; action: string; work: StoredWork },
): Promise<void> =>
  audit.write(tx, actorOf(context), {
    organization_id: work.organization_id,
    action,
    object_id: work.object_id,
    detail: { queue: work.queue, kind: work.kind, lost_runs: work.lost_runs, failed_runs: work.failed_runs },
  });
