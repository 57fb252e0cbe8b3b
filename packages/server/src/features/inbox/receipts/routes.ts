// The HTTP operations of receipts.
import { receipts } from '@parley/contract/inbox/receipts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { routesOf } from '../../../platform/http/context.ts';
import type { ReceiptKeys } from './keys.ts';
import * as store from './receipt-store.ts';

export const receiptRoutes = (db: Database, keys: ReceiptKeys) =>
  routesOf(receipts, {
    list: ({ query }, context) => store.listReceipts(db, context.organization_id, query),
    async get({ params }, context) {
      const receipt = await store.findReceipt(db, context.organization_id, params.receipt_id);
      if (!receipt) throw new ApiError('not_found');
      return receipt;
    },
    rotate_key: () => keys.rotate(),
  });
