// The HTTP operations of consents.
import { consents } from '@parley/contract/rules/people/consents';
import { routesOf } from '../../../platform/http/context.ts';
import type { ConsentService } from './service.ts';
import type { SuspicionService } from './suspicions/suspicions.ts';

export const consentRoutes = (service: ConsentService, suspicions: SuspicionService) =>
  routesOf(consents, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    check: ({ query }, context) => service.check(context.organization_id, query),
    suspected: ({ query }, context) => suspicions.list(context.organization_id, query),
    decide: ({ params, body }, context) => suspicions.decide(context, params.suspicion_id, body.decision),
    get: ({ params }, context) => service.get(context.organization_id, params.consent_id),
    proof: ({ params }, context) => service.proof(context.organization_id, params.consent_id),
    revoke: ({ params, body }, context) => service.revoke(context, params.consent_id, body.reason ?? null),
  });
