// Verifications: proof of who uses a number, for countries that require it.
import type { JobHandler } from '../../platform/jobs.ts';
import { verificationRoutes } from './routes.ts';
import { follow_job, verificationService } from './service.ts';

export type { VerificationService } from './service.ts';

export function verificationFeature(deps: Parameters<typeof verificationService>[0]) {
  const service = verificationService(deps);
  const jobs: JobHandler[] = [
    {
      kind: follow_job,
      run: ({ payload }) => service.follow(payload.organization_id as string, payload.id as string),
    },
    { kind: 'follow_open_verifications', every_seconds: 300, run: () => service.followAll() },
  ];
  return { service, routes: [verificationRoutes(service)], jobs };
}
