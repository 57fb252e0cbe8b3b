// Verifications: who uses a number, where a country wants to know.
import { verifications } from '@parley/contract/verifications';
import { routesOf } from '../../platform/http/context.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { follow_job, type VerificationService } from './service.ts';

export { type VerificationService, verificationService } from './service.ts';

export const verificationRoutes = (service: VerificationService) =>
  routesOf(verifications, {
    create: ({ body }, context) => service.create(context.organization_id, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.verification_id),
  });

export const verificationJobs = (service: VerificationService): JobHandler[] => [
  {
    kind: follow_job,
    run: ({ payload }) => service.follow(payload.organization_id as string, payload.id as string),
  },
  { kind: 'follow_open_verifications', every_seconds: 300, run: () => service.followAll() },
];
