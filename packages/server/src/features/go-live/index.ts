// Going live: says what is missing before the service can reach real people, and how to set it.
import type { Database } from '../../platform/db/database.ts';
import { goLiveRoutes } from './routes.ts';
import type { ServiceFacts } from './service.ts';
import { goLiveStore } from './store.ts';

export type { Advice, ServiceFacts } from './service.ts';

export const goLiveFeature = ({ db, facts }: { db: Database; facts(): Promise<ServiceFacts> }) => ({
  routes: [goLiveRoutes({ store: goLiveStore(db), facts })],
});
