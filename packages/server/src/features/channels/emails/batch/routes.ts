// The HTTP operations of batches of emails.
import { emailBatches } from '@parley/contract/channels/emails/email-batches';
import { routesOf } from '../../../../platform/http/context.ts';
import type { SendBatch } from './send-batch.ts';

export const emailBatchRoutes = (batches: SendBatch) =>
  routesOf(emailBatches, {
    create: ({ body }, context) => batches.create(context.organization_id, body, context),
    get: ({ params }, context) => batches.get(context.organization_id, params.batch_id),
  });
