// The dry run of an erasure: runs its steps in a transaction that is rolled back, so that it counts exactly what the erasure
// will change.
import type { Database } from '../../../../platform/db/database.ts';
import { displayNamesOf } from '../../../channels/emails/index.ts';
import { settingsWith } from '../content/remaining-store.ts';
import { type Erased, erasedPerson, partiesOf } from '../person/erased.ts';
import { type StepDeps, steps } from '../steps.ts';
import type { Counts } from '../store.ts';
import { within } from './dry-run-store.ts';

type DryRunDeps = Omit<StepDeps, 'db' | 'savePerson'> & { db: Database };
type Asked = Pick<Erased, 'organization_id' | 'id' | 'contact_id' | 'person' | 'keep_suppression'>;
type Shown = { counts: Counts; display_names: string[]; settings: string[] };

/** Carries the counts out of the transaction that it ends. */
class RolledBack extends Error {
  readonly counts: Counts;
  constructor(counts: Counts) {
    super('A dry run changes nothing.');
    this.counts = counts;
  }
}

export async function dryRun(deps: DryRunDeps, asked: Asked): Promise<Shown> {
  const display_names = await displayNamesOf(deps.db, partiesOf(asked.organization_id, asked.person));
  const created_at = deps.clock.now().toISOString();
  const erased = erasedPerson(deps, { ...asked, person: { ...asked.person, display_names }, created_at });
  // The erasure does this in between; here it would write outside of the transaction.
  await deps.project();
  const counts = await countedBy(deps, erased);
  return { counts, display_names, settings: await settingsWith(deps.db, erased) };
}

async function countedBy(deps: DryRunDeps, erased: Erased): Promise<Counts> {
  try {
    return await deps.db.transaction(async (tx) => {
      throw new RolledBack(await runSteps({ ...deps, db: within(tx) }, erased));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.counts;
    throw error;
  }
}

async function runSteps(deps: Omit<StepDeps, 'savePerson'>, erased: Erased): Promise<Counts> {
  const trial: StepDeps = {
    ...deps,
    storage: { ...deps.storage, remove: async () => {} },
    project: async () => {},
    savePerson: async () => {},
  };
  const counts: Counts = {};
  for (const [, run] of steps) {
    let reached: string | null = null;
    do {
      const progress = await run(trial, erased, reached);
      for (const [name, count] of Object.entries(progress.counts) as [keyof Counts, number][])
        counts[name] = (counts[name] ?? 0) + count;
      reached = progress.reached;
    } while (reached !== null);
  }
  return counts;
}
