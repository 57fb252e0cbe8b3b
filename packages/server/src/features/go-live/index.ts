// Going live: says what is missing before the service can reach real people, and how to set it.
import { goLive } from '@parley/contract/go-live';
import type { Database } from '../../platform/db/database.ts';
import { routesOf } from '../../platform/http/context.ts';
import { checkGoLive, type ServiceFacts } from './service.ts';
import { goLiveStore } from './store.ts';

export type { ServiceFacts } from './service.ts';

export function goLiveFeature(deps: { db: Database; facts(): Promise<ServiceFacts> }) {
  const store = goLiveStore(deps.db);
  return {
    routes: [
      routesOf(goLive, {
        get: async (_, { caller }) => {
          const { organization_id, superadmin } = caller.identity;
          const [facts, records] = await Promise.all([deps.facts(), store.read(organization_id)]);
          return checkGoLive(facts, records, { sees_settings: superadmin });
        },
      }),
    ],
  };
}
