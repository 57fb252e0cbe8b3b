// The request limits: one per credential, and one per organization so that more keys do not allow more requests.
import { nil_uuid } from '@parley/contract/limits';
import type { RateLimiter, Verdict } from '../rate-limit.ts';
import { type Caller, limitedAs } from './context.ts';
import { whenKnown } from './when-known.ts';

/** `of` is set where the limit of the organization applies. */
export type CeilingVerdict = Verdict & { of?: 'organization' };

export function ceilings(deps: { credentials: RateLimiter; organizations: RateLimiter }) {
  return {
    /** Returns the limit with fewer requests left. A request that the first limit refuses is not counted by the second. */
    take(caller: Caller): CeilingVerdict | Promise<CeilingVerdict> {
      const { organization_id } = caller.identity;
      return whenKnown(deps.credentials.take(limitedAs(caller)), (own) => {
        // The organization of the shared key has only that credential.
        if (!own.allowed || organization_id === nil_uuid) return own;
        return whenKnown(
          deps.organizations.take(`organization:${organization_id}`),
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
