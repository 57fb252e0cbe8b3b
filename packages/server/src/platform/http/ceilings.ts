// The request ceilings: one for each credential, and one for the organization so that more keys bring no more requests.
import { nil_uuid } from '@parley/contract/limits';
import type { RateLimiter, Verdict } from '../rate-limit.ts';
import type { Caller } from './context.ts';
import { whenKnown } from './when-known.ts';

/** `of` where it is not the ceiling of the credential. */
export type CeilingVerdict = Verdict & { of?: 'organization' };

export function ceilings(deps: { credentials: RateLimiter; organizations: RateLimiter }) {
  return {
    /** The verdict of the ceiling that is nearer. A request that the first ceiling refuses is not counted by the second. */
    take(caller: Caller): CeilingVerdict | Promise<CeilingVerdict> {
      const { organization_id } = caller.identity;
      return whenKnown(deps.credentials.take(caller.credential_id), (own) => {
        // The organization of the shared key has that one credential.
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
