// The HTTP operations of funds.
import { funds as operations } from '@parley/contract/rules/spending/funds';
import { routesOf } from '../../../platform/http/context.ts';
import type { Funds } from './service.ts';

export const fundsRoutes = (funds: Funds) =>
  routesOf(operations, {
    balance: (_, context) => funds.ownBalance(context.organization_id),
    ledger: ({ query }, context) => funds.ledger(context.organization_id, query),
    organization_balance: ({ params }) => funds.balance(params.organization_id),
    organization_ledger: ({ params, query }) => funds.organizationLedger(params.organization_id, query),
    credit: ({ params, body }, context) => funds.credit(context, params.organization_id, body),
    prices: () => funds.prices(),
    update_prices: ({ body }, context) => funds.setPrices(context, body),
  });
