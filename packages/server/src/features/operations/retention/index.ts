// Retention: each organization decides after how many days its data is deleted, and the service deletes it in the background.
import { retentionRoutes } from './routes.ts';
import { retentionService, type ServiceDeps } from './service.ts';
import { retentionStore } from './store.ts';
import { retentionJobs, type WorkerDeps } from './worker.ts';

export { servicePeriods } from './periods.ts';

export function retentionFeature(options: Omit<ServiceDeps & WorkerDeps, 'store'>) {
  const deps = { ...options, store: retentionStore(options.db) };
  return { routes: [retentionRoutes(retentionService(deps))], jobs: retentionJobs(deps) };
}
