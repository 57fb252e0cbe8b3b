// Check 2: the type of number and its country. Does not apply to emails and incoming calls.
import type { Destinations } from '../../../config/admission.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { AdmissionRequest, Check, Verdict } from '../admission.ts';
import { judgeDestination } from '../destinations.ts';

const judge = ({ recipients }: AdmissionRequest, allowed: Destinations | null): Verdict => {
  for (const recipient of recipients) {
    const verdict = judgeDestination(recipient, allowed);
    if (verdict.allowed) continue;
    const error = new ApiError('destination_not_allowed', { detail: verdict.reason, path: 'body.to' });
    return { outcome: 'refuse', reason: 'not_allowed', error };
  }
  return { outcome: 'allow' };
};

export const destinationCheck = (deps: {
  /** Null for the sandbox carrier, where every country is allowed. */
  allowedFor(provider: string | null): Destinations | null | Promise<Destinations>;
  /** Clears the cached countries of this server's numbers. */
  forget(): void;
}): Check => ({
  name: 'destination',
  run(_, request) {
    if (request.channel === 'emails' || request.origin === 'inbound_call') return { outcome: 'skip' };
    const provider = request.provider ?? null;
    const allowed = deps.allowedFor(provider);
    if (allowed instanceof Promise) return allowed.then((now) => judge(request, now));
    const verdict = judge(request, allowed);
    if (verdict.outcome === 'allow' || allowed === null) return verdict;
    // A new number allows its country immediately, so never refuse because of a cached value.
    deps.forget();
    return Promise.resolve(deps.allowedFor(provider)).then((now) => judge(request, now));
  },
});
