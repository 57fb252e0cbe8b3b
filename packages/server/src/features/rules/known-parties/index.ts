// Known parties: the numbers and addresses with which an organization exchanged something within a year. Kept only for
// organizations with a limit of new recipients or an approval rule about them, so that sending writes nothing.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { fillStep, knownSince } from './fill.ts';
import { knownPartyStore } from './store.ts';

export { partyOf } from './fill.ts';
export { knownPartyPersonalData } from './personal-data-store.ts';

export function knownPartyFeature({ db, clock }: { db: Database; clock: Clock }) {
  const store = knownPartyStore(db);
  const deps = { clock, store };
  const jobs: JobHandler[] = [
    {
      kind: 'fill_known_parties',
      every_seconds: 5,
      lease_seconds: 600,
      async run(_, signal) {
        for (const organization_id of await store.withRule()) {
          let is_complete = false;
          while (!is_complete && !signal.aborted)
            is_complete = await db.transaction((tx) => fillStep(deps, tx, organization_id));
        }
      },
    },
    {
      kind: 'forget_known_parties',
      every_seconds: 86_400,
      run: async () => void (await store.forgetBefore(knownSince(clock))),
    },
  ];
  return {
    jobs,
    /** Which of these are new: neither contacts that a person vouched for nor known, also from the newest records. The list stays locked if any is. */
    async newOnes(tx: Transaction, organization_id: string, parties: readonly string[]): Promise<string[]> {
      const since = knownSince(clock);
      const candidates = await store.unknown(tx, organization_id, parties, since);
      if (candidates.length === 0) return [];
      while (!(await fillStep(deps, tx, organization_id)));
      return store.unknown(tx, organization_id, candidates, since);
    },
    /** They count as known before anything is sent, so that the next message to them is not counted again. */
    addCounted: store.addCounted,
    removeCounted: store.removeCounted,
  };
}
export type KnownParties = ReturnType<typeof knownPartyFeature>;
