// Erasures: removes a person from all channels and stores, in the background.
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { erasureRoutes } from './routes.ts';
import { erasureService, type ServiceDeps } from './service.ts';
import { erasureStore } from './store.ts';
import { eraseJob, type WorkerDeps } from './worker.ts';

export const erasure_sealed_columns: readonly SealedColumn[] = [
  { table: 'erasures', column: 'person_sealed' },
];

export function erasureFeature(options: Omit<ServiceDeps & WorkerDeps, 'store'>) {
  const deps = { ...options, store: erasureStore(options.db) };
  return { routes: [erasureRoutes(erasureService(deps))], jobs: [eraseJob(deps)] };
}
