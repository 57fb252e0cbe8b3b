// Check 2: the kind of number and its country. Emails and calls to us go nowhere by phone.
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
  /** Null for a carrier that reaches nobody, where every country is allowed. */
  allowedFor(provider: string | null): Destinations | null | Promise<Destinations>;
  /** Reads anew which countries the server holds numbers in. */
  forget(): void;
}): Check => ({
  name: 'destination',
  ask(_, request) {
    if (request.channel === 'emails' || request.origin === 'inbound_call') return { outcome: 'skip' };
    const provider = request.provider ?? null;
    const allowed = deps.allowedFor(provider);
    if (allowed instanceof Promise) return allowed.then((now) => judge(request, now));
    const verdict = judge(request, allowed);
    if (verdict.outcome === 'allow' || allowed === null) return verdict;
    // A number that was bought a moment ago opens its country at once: no refusal goes by what is remembered.
    deps.forget();
    return Promise.resolve(deps.allowedFor(provider)).then((now) => judge(request, now));
  },
});
