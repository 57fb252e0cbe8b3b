// The HTTP operation of going live.
import { goLive } from '@parley/contract/operations/go-live';
import { routesOf } from '../../../platform/http/context.ts';
import type { DomainDns } from '../../channels/email-domains/index.ts';
import { checkGoLive, type ServiceFacts } from './service.ts';
import type { GoLiveStore } from './store.ts';

export type GoLiveDeps = {
  store: GoLiveStore;
  facts(): Promise<ServiceFacts>;
  /** The DNS records of the organization's domains as they are now. */
  dnsNow(organization_id: string): Promise<DomainDns[]>;
};

export const goLiveRoutes = (deps: GoLiveDeps) =>
  routesOf(goLive, {
    get: async (_, { caller }) => {
      const { organization_id, superadmin } = caller.identity;
      const [facts, records, domains] = await Promise.all([
        deps.facts(),
        deps.store.read(organization_id),
        deps.dnsNow(organization_id),
      ]);
      return checkGoLive(facts, { ...records, domains }, { sees_settings: superadmin });
    },
  });
