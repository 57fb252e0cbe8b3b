// Going live: says what is missing before the service can reach real people, and how to set it.
import type { Database } from '../../../platform/db/database.ts';
import { type GoLiveDeps, goLiveRoutes } from './routes.ts';
import { goLiveStore } from './store.ts';

export { serviceFacts } from './service-facts.ts';

export const goLiveFeature = ({ db, ...deps }: { db: Database } & Omit<GoLiveDeps, 'store'>) => ({
  routes: [goLiveRoutes({ ...deps, store: goLiveStore(db) })],
});
