// The HTTP operations that say why a record is in its state.
import { explain } from '@parley/contract/operations/explain/explain';
import { routesOf } from '../../../platform/http/context.ts';
import type { ExplainService } from './service.ts';

export const explainRoutes = (service: ExplainService) =>
  routesOf(explain, {
    object: ({ params }, context) => service.object(context.organization_id, params.object_id),
    call: ({ params }, context) => service.call(context.organization_id, params.call_id),
    email: ({ params }, context) => service.email(context.organization_id, params.email_id),
    sms: ({ params }, context) => service.sms(context.organization_id, params.sms_id),
    delivery: ({ params }, context) =>
      service.delivery(context.organization_id, params.delivery_id, params.subscription_id),
    approval: ({ params }, context) => service.approval(context.organization_id, params.approval_id),
  });
