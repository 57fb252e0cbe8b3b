// The jobs of retention: every hour one for each organization. It saves its position after each batch and continues there after a crash.
import type { Clock } from '../../../platform/clock.ts';
import type { Job, JobHandler, Jobs } from '../../../platform/jobs.ts';
import { effectivePeriods, type ServicePeriods, withPatch } from './periods.ts';
import { first_step, type StepDeps, stepsOf } from './steps.ts';
import type { RetentionRow, RetentionStore } from './store.ts';

const apply_job = 'apply_retention';
const lease_seconds = 120;
/** A run ends after this time and continues in another one, long before its lease ends. */
const slice_ms = 20_000;
const max_attempts = 5;
const page_organizations = 1000;
const day_ms = 86_400_000;

export type WorkerDeps = StepDeps & {
  store: RetentionStore;
  clock: Clock;
  /** Decides what is old enough. */
  expiry_clock: Clock;
  periods: ServicePeriods;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
};

export const applyJob = (organization_id: string) => ({
  kind: apply_job,
  payload: { organization_id },
  unique_key: `retention:${organization_id}`,
});

export const retentionJobs = (deps: WorkerDeps): JobHandler[] => [
  { kind: 'begin_retention', every_seconds: 3600, run: (_, signal) => beginAll(deps, signal) },
  {
    kind: apply_job,
    lease_seconds,
    max_attempts,
    async run(job, signal) {
      const { organization_id } = job.payload as { organization_id: string };
      try {
        await apply(deps, organization_id, signal);
      } catch (error) {
        if (isLast(job)) await deps.store.fail(organization_id, deps.clock.now());
        throw error;
      }
    },
  },
];

const isLast = ({ attempts }: Job): boolean => attempts + 1 >= max_attempts;

/** A job that still runs stays as it is. */
async function beginAll({ db, store, periods, jobs }: WorkerDeps, signal: AbortSignal): Promise<void> {
  const all = periods.max.records !== null;
  for (let after: string | null = null; !signal.aborted; ) {
    const ids: string[] = await store.organizations({ all, after }, page_organizations);
    for (const id of ids) await jobs.enqueue(db, applyJob(id));
    if (ids.length < page_organizations) break;
    after = ids.at(-1)!;
  }
  jobs.wake();
}

async function apply(deps: WorkerDeps, organization_id: string, signal: AbortSignal): Promise<void> {
  const steps = stepsOf(deps.personal_data);
  const row = await continuedRun(deps, organization_id);
  const current = { organization_id, started_at: row.last_run!.started_at };
  const effective = effectivePeriods(withPatch(row, {}), deps.periods);
  const until_ms = performance.now() + slice_ms;
  let index = Math.max(
    0,
    steps.findIndex(({ name }) => name === row.step),
  );
  let { reached, positions } = row;
  while (index < steps.length) {
    if (signal.aborted || performance.now() > until_ms) return continueLater(deps, organization_id);
    const { name, kind, run } = steps[index]!;
    const days = effective[kind];
    if (days !== null) {
      const before = new Date(deps.expiry_clock.ms() - days * day_ms);
      const position = positions[name] ?? null;
      const done = await run(deps, { organization_id, before, position, reached: reached ?? position });
      if (done.position) positions = { ...positions, [name]: done.position };
      reached = done.reached;
      if (reached === null) index++;
      const step = steps[index]?.name ?? name;
      const is_current = await deps.store.advance(current, {
        ...{ step, reached, positions, counts: done.counts },
      });
      if (!is_current) return;
    } else {
      index++;
      reached = null;
    }
  }
  await deps.store.finish(current, deps.clock.now());
}

/** A run that was interrupted, or a new one. */
async function continuedRun({ store, clock }: WorkerDeps, organization_id: string): Promise<RetentionRow> {
  const row = await store.find(organization_id);
  if (row?.step) return row;
  await store.begin(organization_id, first_step, clock.now());
  return (await store.find(organization_id))!;
}

const continueLater = ({ db, clock, jobs }: WorkerDeps, organization_id: string) =>
  jobs.enqueue(db, { ...applyJob(organization_id), run_at: clock.now(), replace: true });
