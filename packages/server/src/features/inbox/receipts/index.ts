// Receipts: signed statements about each attempt to contact a person, issued in the background.
import type { Sealer } from '../../../platform/crypto.ts';
import type { Feature } from '../../../platform/feature.ts';
import { type IssuerDeps, receiptIssuer } from './issuer.ts';
import { receiptKeys } from './keys.ts';
import { receiptProjection } from './projection.ts';
import { receiptRoutes } from './routes.ts';

export { receipt_sealed_columns } from './keys.ts';
export { receiptPersonalData } from './personal-data-store.ts';

export type ReceiptDeps = Omit<IssuerDeps, 'keys'> & { sealer: Sealer };

export function receiptFeature(deps: ReceiptDeps) {
  const keys = receiptKeys(deps);
  const issuer = receiptIssuer({ ...deps, keys });
  const addHttp: Feature['addHttp'] = (http) => {
    http.get('/.well-known/parley-receipts.json', (_, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return keys.keySet();
    });
  };
  return {
    routes: [receiptRoutes(deps.db, keys)],
    addHttp,
    start: issuer.start,
    stop: issuer.stop,
    drainDue: issuer.drain,
    projection: receiptProjection({ clock: deps.clock, wake: issuer.wake }),
  };
}
