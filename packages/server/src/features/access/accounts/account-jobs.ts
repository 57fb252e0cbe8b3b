// Background jobs of accounts: delete OAuth clients that no one uses, and expired sessions and codes.
import type { Config } from '../../../config/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { AccountStore } from './account-store.ts';
import { known_network_days } from './sign-in/sign-ins.ts';

/** A client registers right before it sends its user to the consent page, so a day without use is enough. */
const never_used_client_days = 1;

export function accountJobs(deps: { store: AccountStore; wall_clock: Clock; config: Config }): JobHandler[] {
  const { store, wall_clock, config } = deps;
  const daysAgo = (days: number) => new Date(wall_clock.ms() - days * 86_400_000);
  return [
    {
      kind: 'forget_unused_oauth_clients',
      every_seconds: 3600,
      run: async () => {
        await store.deleteUnusedClients(
          daysAgo(never_used_client_days),
          daysAgo(config.PARLEY_OAUTH_CLIENT_UNUSED_DAYS),
        );
      },
    },
    {
      kind: 'forget_expired_sessions',
      every_seconds: 3600,
      run: () => store.deleteExpired(wall_clock.now(), daysAgo(known_network_days)),
    },
  ];
}
