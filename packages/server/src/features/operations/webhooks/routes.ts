// The HTTP operations of webhooks.
import { webhooks } from '@parley/contract/operations/webhooks/webhooks';
import { routesOf } from '../../../platform/http/context.ts';
import * as certifications from './certifications.ts';
import * as deliveries from './deliveries.ts';
import * as subscriptions from './service.ts';

export const webhookRoutes = (deps: subscriptions.WebhookServiceDeps) =>
  routesOf(webhooks, {
    create: ({ body }, context) => subscriptions.create(deps, context.organization_id, body),
    list: ({ query }, context) => subscriptions.list(deps, context.organization_id, query),
    get: ({ params }, context) => subscriptions.get(deps, context.organization_id, params.subscription_id),
    update: ({ params, body }, context) =>
      subscriptions.update(deps, context.organization_id, params.subscription_id, body),
    delete: ({ params }, context) =>
      subscriptions.remove(deps, context.organization_id, params.subscription_id),
    rotate_secret: ({ params }, context) =>
      subscriptions.rotateSecret(deps, context.organization_id, params.subscription_id),
    test: ({ params }, context) => deliveries.sendTest(deps, context.organization_id, params.subscription_id),
    list_deliveries: ({ params, query }, context) =>
      deliveries.list(deps, context.organization_id, params.subscription_id, query),
    get_delivery: ({ params }, context) =>
      deliveries.get(deps, context.organization_id, params.subscription_id, params.delivery_id),
    redeliver: ({ params }, context) =>
      deliveries.redeliver(deps, context.organization_id, params.subscription_id, params.delivery_id),
    certify: ({ params }, context) =>
      certifications.certify(deps, context.organization_id, params.subscription_id),
    list_certifications: ({ params, query }, context) =>
      certifications.listCertifications(deps, context.organization_id, params.subscription_id, query),
    get_certification: ({ params }, context) =>
      certifications.getCertification(
        deps,
        context.organization_id,
        params.subscription_id,
        params.certification_id,
      ),
  });
