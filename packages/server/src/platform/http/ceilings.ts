// The request limits: one per credential, and one per organization so that more keys do not allow more requests.
import type { RateLimiter, Verdict } from '../rate-limit.ts';
import { type Caller, limitedAs } from './context.ts';
import { whenKnown } from './when-known.ts';

/** `of` is set where the limit of the organization applies. */
export type CeilingVerdict = Verdict & { of?: 'organization' };

const isEnvironmentKey = ({ credential_kind }: Caller): boolean =>
  credential_kind === 'shared_key' || credential_kind === 'operator_key';

export function ceilings(deps: { credentials: RateLimiter; organizations: RateLimiter }) {
  return {
    /** Returns the limit with fewer requests left. A request that the first limit refuses is not counted by the second. */
    take(caller: Caller): CeilingVerdict | Promise<CeilingVerdict> {
      return whenKnown(deps.credentials.take(limitedAs(caller)), (own) => {
        // What limits the keys that it issued must not limit the shared key itself.
        if (!own.allowed || isEnvironmentKey(caller)) return own;
        return whenKnown(
          deps.organizations.take(`organization:${caller.identity.organization_id}`),
          (shared): CeilingVerdict =>
            shared.allowed && shared.remaining >= own.remaining ? own : { ...shared, of: 'organization' },
        );
      });
    },

    async sweep(): Promise<void> {
      await deps.credentials.sweep();
      await deps.organizations.sweep();
    },
  };
}
export type Ceilings = ReturnType<typeof ceilings>;
