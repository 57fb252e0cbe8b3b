// Set-aside work: what the service gave up, for superadmins to see, run again or delete.
import type { JobHandler } from '../../../platform/jobs.ts';
import { setAsideRoutes } from './routes.ts';
import { type SetAsideWorkDeps, setAsideWorkService } from './service.ts';
import { setAsideStore } from './store.ts';

const kept_days = 30;
const max_entries = 10_000;

export function setAsideWorkFeature(deps: SetAsideWorkDeps) {
  const store = setAsideStore(deps.db);
  const forget: JobHandler = {
    kind: 'forget_set_aside_work',
    every_seconds: 3600,
    run: () => store.deleteOld(new Date(deps.wall_clock.ms() - kept_days * 86_400_000), max_entries),
  };
  return { routes: [setAsideRoutes(setAsideWorkService(deps, store))], jobs: [forget] };
}
