// Reads and changes the retention of an organization. A change starts the deletion at once.
import { type Retention, type RetentionPatch, retentionKinds } from '@parley/contract/operations/retention';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import { type Context, isPerson } from '../../../platform/http/context.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { effectivePeriods, type Periods, problemOf, type ServicePeriods, withPatch } from './periods.ts';
import { first_step } from './steps.ts';
import type { RetentionRow, RetentionStore } from './store.ts';
import { applyJob } from './worker.ts';

export type ServiceDeps = {
  db: Database;
  store: RetentionStore;
  periods: ServicePeriods;
  audit: AuditLog;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
};

const no_periods = Object.fromEntries(retentionKinds.map((kind) => [kind, null])) as Periods;

export const retentionService = (deps: ServiceDeps) => ({
  async get(organization_id: string): Promise<Retention> {
    return presented(deps, await deps.store.find(organization_id));
  },

  async update(context: Context, patch: RetentionPatch): Promise<Retention> {
    const { caller, organization_id } = context;
    // What is deleted cannot be restored, so no program may shorten it.
    if (!isPerson(caller) || caller.role === 'member') throw new ApiError('person_required');
    await deps.db.transaction(async (tx) => {
      const periods = withPatch(await deps.store.lock(tx, organization_id), patch);
      const problem = problemOf(periods, deps.periods);
      if (problem) throw validationError([{ ...problem, code: 'invalid' }]);
      await deps.store.savePeriods(tx, organization_id, periods);
      await deps.audit.write(tx, actorOf(context), {
        organization_id,
        action: 'retention.changed',
        object_id: organization_id,
        detail: patch,
      });
      await deps.store.begin(organization_id, first_step, deps.clock.now(), tx);
      await deps.jobs.enqueue(tx, { ...applyJob(organization_id), replace: true });
    });
    deps.jobs.wake();
    return presented(deps, await deps.store.find(organization_id));
  },
});
export type RetentionService = ReturnType<typeof retentionService>;

function presented({ periods }: ServiceDeps, row: RetentionRow | null): Retention {
  const own = row ? withPatch(row, {}) : no_periods;
  return { ...own, effective: effectivePeriods(own, periods), last_run: row?.last_run ?? null };
}
