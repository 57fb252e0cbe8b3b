// The HTTP operations of verifications.
import { verifications } from '@parley/contract/verifications';
import { routesOf } from '../../platform/http/context.ts';
import type { VerificationService } from './service.ts';

export const verificationRoutes = (service: VerificationService) =>
  routesOf(verifications, {
    create: ({ body }, context) => service.create(context.organization_id, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.verification_id),
  });
