// The job of an erasure: runs its steps, saves after each part how far it is, and continues there after a crash.
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Job, JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import { type Erased, erasedPerson } from './person/erased.ts';
import type { Person } from './person/person.ts';
import { type StepDeps, steps } from './steps.ts';
import type { ErasureRow, ErasureStore } from './store.ts';

export const erase_job = 'erase_person';
const lease_seconds = 120;
/** A run ends after this time and continues in another one, long before its lease ends. */
const slice_ms = 20_000;
const wait_seconds = 2;
const max_attempts = 10;

export type WorkerDeps = Omit<StepDeps, 'savePerson' | 'db'> & {
  db: Database;
  store: ErasureStore;
  clock: Clock;
  sealer: Sealer;
  outbox: Outbox;
  jobs: Pick<Jobs, 'enqueue'>;
};

export const sealContext = (id: string) => `erasure:${id}`;
export const jobKey = (id: string) => `erasure:${id}`;

export const eraseJob = (deps: WorkerDeps): JobHandler => ({
  kind: erase_job,
  lease_seconds,
  max_attempts,
  async run(job, signal) {
    const { organization_id, erasure_id } = job.payload as { organization_id: string; erasure_id: string };
    const row = await deps.store.find(organization_id, erasure_id);
    if (!row?.person_sealed) return;
    await deps.store.begin(organization_id, erasure_id, deps.clock.now());
    try {
      await work(deps, row, signal);
    } catch (error) {
      if (isLast(job)) await deps.store.fail(organization_id, erasure_id, deps.clock.now());
      throw error;
    }
  },
});

const isLast = ({ attempts }: Job): boolean => attempts + 1 >= max_attempts;

function erasedBy(deps: WorkerDeps, row: ErasureRow): Erased {
  const { id, organization_id, contact_id, keep_suppression, created_at } = row;
  const opened = deps.sealer.open(row.person_sealed!, sealContext(id)).toString('utf8');
  const person = JSON.parse(opened) as Person;
  return erasedPerson(deps, { id, organization_id, contact_id, keep_suppression, created_at, person });
}

async function work(deps: WorkerDeps, row: ErasureRow, signal: AbortSignal): Promise<void> {
  const { organization_id, id } = row;
  let erased = erasedBy(deps, row);
  const savePerson: StepDeps['savePerson'] = async (_, person) => {
    const person_sealed = deps.sealer.seal(JSON.stringify(person), sealContext(id));
    await deps.store.savePerson(organization_id, id, person_sealed);
    erased = erasedPerson(deps, { ...erased, person });
  };
  const until_ms = performance.now() + slice_ms;
  // A step of another release: everything is safe to repeat.
  let index = Math.max(
    0,
    steps.findIndex(([name]) => name === row.step),
  );
  let reached = steps[index]![0] === row.step ? row.reached : null;
  while (index < steps.length) {
    if (signal.aborted || performance.now() > until_ms) return continueIn(deps, erased, 0);
    const [step, run] = steps[index]!;
    const progress = await run({ ...deps, savePerson }, erased, reached);
    if (progress.wait) return continueIn(deps, erased, wait_seconds);
    reached = progress.reached;
    if (reached === null) index++;
    const next = steps[index]?.[0] ?? step;
    await deps.store.advance(deps.db, organization_id, id, { step: next, reached, counts: progress.counts });
  }
  await finish(deps, erased);
}

const continueIn = ({ db, clock, jobs }: WorkerDeps, { organization_id, id }: Erased, seconds: number) =>
  jobs.enqueue(db, {
    kind: erase_job,
    payload: { organization_id, erasure_id: id },
    unique_key: jobKey(id),
    run_at: new Date(clock.ms() + seconds * 1000),
    replace: true,
  });

async function finish(deps: WorkerDeps, { organization_id, id }: Erased): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    if (!(await deps.store.finish(tx, organization_id, id, now))) return;
    const { counts, party_hashes, keep_suppression } = (await deps.store.find(organization_id, id))!;
    const data = { id, counts, party_hashes, keep_suppression, done_at: now.toISOString() };
    await deps.outbox.write(tx, [{ organization_id, type: 'erasure.completed', resource_id: id, data }]);
  });
}
