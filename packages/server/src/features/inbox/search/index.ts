// Search: an index of emails, texts, calls and contacts that the projector keeps current.
import type { Clock } from '../../../platform/clock.ts';
import { createPartitionsAhead } from '../../../platform/db/partitions.ts';
import { mapInTurns } from '../../../platform/in-turns.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Projection } from '../projector/index.ts';
import { searchDocument, searched_nouns } from './document.ts';
import { searchRoutes } from './routes.ts';
import { type SearchDeps, searchService } from './service.ts';
import { deleteDocuments, writeDocuments } from './store.ts';

export { searchPersonalData } from './personal-data-store.ts';

/** How many days one partition covers. */
const partition_days = 30;

export function searchFeature(deps: SearchDeps & { clock: Clock }) {
  const service = searchService(deps);
  return {
    routes: [searchRoutes(service)],
    jobs: deps.is_on ? [partitionJob(deps)] : [],
    projections: deps.is_on ? [documents] : [],
    service,
  };
}

const documents: Projection = {
  name: 'search',
  nouns: searched_nouns,
  async project(tx, { records, deleted }) {
    const messages = records.filter((record) => record.noun !== 'conversation');
    if (messages.length > 0) await writeDocuments(tx, await mapInTurns(messages, searchDocument));
    if (deleted.length > 0) await deleteDocuments(tx, deleted);
  },
};

const partitionJob = ({ db, clock }: SearchDeps & { clock: Clock }): JobHandler => ({
  kind: 'create_search_partitions',
  every_seconds: 3600,
  run: () => createPartitionsAhead(db, 'search_documents', { now_ms: clock.ms(), days: partition_days }),
});
