// The HTTP operations of webhooks.
import { webhooks } from '@parley/contract/webhooks';
import { routesOf } from '../../platform/http/context.ts';
import type { WebhookService } from './service.ts';

export const webhookRoutes = (service: WebhookService) =>
  routesOf(webhooks, {
    create: ({ body }, context) => service.create(context.organization_id, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.subscription_id),
    update: ({ params, body }, context) =>
      service.update(context.organization_id, params.subscription_id, body),
    delete: ({ params }, context) => service.delete(context.organization_id, params.subscription_id),
    rotateSecret: ({ params }, context) =>
      service.rotateSecret(context.organization_id, params.subscription_id),
    test: ({ params }, context) => service.test(context.organization_id, params.subscription_id),
    listDeliveries: ({ params, query }, context) =>
      service.listDeliveries(context.organization_id, params.subscription_id, query),
    getDelivery: ({ params }, context) =>
      service.getDelivery(context.organization_id, params.subscription_id, params.delivery_id),
    redeliver: ({ params }, context) =>
      service.redeliver(context.organization_id, params.subscription_id, params.delivery_id),
  });
