// The HTTP operation of going live.
import { goLive } from '@parley/contract/go-live';
import { routesOf } from '../../platform/http/context.ts';
import { checkGoLive, type ServiceFacts } from './service.ts';
import type { GoLiveStore } from './store.ts';

export const goLiveRoutes = (deps: { store: GoLiveStore; facts(): Promise<ServiceFacts> }) =>
  routesOf(goLive, {
    get: async (_, { caller }) => {
      const { organization_id, superadmin } = caller.identity;
      const [facts, records] = await Promise.all([deps.facts(), deps.store.read(organization_id)]);
      return checkGoLive(facts, records, { sees_settings: superadmin });
    },
  });
