// Funds: balances of organizations, their ledger, prices, charges and reservations.
import { fundsRoutes } from './routes.ts';
import { fundsService } from './service.ts';

export type { Funds } from './service.ts';

export function fundsFeature(deps: Parameters<typeof fundsService>[0]) {
  const service = fundsService(deps);
  return { service, routes: [fundsRoutes(service)] };
}
