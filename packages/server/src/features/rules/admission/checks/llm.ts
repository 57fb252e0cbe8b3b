// Calls only: the rule-based offline model does not talk to real people, unless the operator allows it.
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Check, Verdict } from '../admission.ts';

const missing = (): Verdict => ({
  outcome: 'refuse',
  reason: 'llm_not_configured',
  error: new ApiError('llm_not_configured'),
});

export const llmCheck = (deps: {
  /** Whether calls of the carrier may use the built-in offline model. */
  mayBeOffline(provider: string | null): boolean;
  hasProvider(organization_id: string): boolean | Promise<boolean>;
}): Check => ({
  name: 'llm',
  run(_, { channel, organization_id, provider, has_own_llm }) {
    if (channel !== 'calls' || has_own_llm || organization_id === null) return { outcome: 'skip' };
    if (deps.mayBeOffline(provider ?? null)) return { outcome: 'skip' };
    const has = deps.hasProvider(organization_id);
    if (has instanceof Promise) return has.then((is_set) => (is_set ? { outcome: 'allow' } : missing()));
    return has ? { outcome: 'allow' } : missing();
  },
});
