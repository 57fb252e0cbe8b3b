// Check 2: the type of number and its country. Does not apply to emails and incoming calls.
import type { Destinations } from '../../../../config/admission.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { AdmissionRequest, Check, Verdict } from '../admission.ts';
import { judgeDestination, readNumber } from '../destinations.ts';

const judge = ({ recipients }: AdmissionRequest, allowed: Destinations | null): Verdict => {
  for (const recipient of recipients) {
    const verdict = judgeDestination(recipient, allowed);
    if (verdict.allowed) continue;
    const error = new ApiError('destination_not_allowed', { detail: verdict.reason, path: 'body.to' });
    return { outcome: 'refuse', reason: 'not_allowed', error };
  }
  return { outcome: 'allow' };
};

/** The organization's own list, which applies in the sandbox as well. */
function refusedBy(recipients: readonly string[], countries: readonly string[] | null): Verdict | null {
  if (countries === null) return null;
  const isListed = (e164: string) => {
    const reading = readNumber(e164);
    // The rule of the server refuses what is not a number.
    if (!reading.ok) return true;
    return reading.country_code !== null && countries.includes(reading.country_code);
  };
  const other = recipients.find((e164) => !isListed(e164));
  if (other === undefined) return null;
  const detail = `Your organization contacts only numbers in ${countries.join(', ')}; see GET /v1/contact-rules.`;
  const error = new ApiError('destination_not_allowed', { detail, path: 'body.to' });
  return { outcome: 'refuse', reason: 'not_allowed', error };
}

export const destinationCheck = (deps: {
  /** Null for the sandbox carrier, where every country is allowed. */
  allowedFor(provider: string | null): Destinations | null | Promise<Destinations>;
  /** Clears the cached countries of this server's numbers. */
  forget(): void;
  /** The countries that the organization limits itself to; null for all. */
  narrowedBy(organization_id: string): readonly string[] | null | Promise<readonly string[] | null>;
}): Check => {
  function judgeServer(request: AdmissionRequest): Verdict | Promise<Verdict> {
    const provider = request.provider ?? null;
    const allowed = deps.allowedFor(provider);
    if (allowed instanceof Promise) return allowed.then((now) => judge(request, now));
    const verdict = judge(request, allowed);
    if (verdict.outcome === 'allow' || allowed === null) return verdict;
    // A new number allows its country immediately, so never refuse because of a cached value.
    deps.forget();
    return Promise.resolve(deps.allowedFor(provider)).then((now) => judge(request, now));
  }

  return {
    name: 'destination',
    run(_, request) {
      if (request.channel === 'emails' || request.origin === 'inbound_call') return { outcome: 'skip' };
      const { organization_id, recipients } = request;
      const narrowed = organization_id === null ? null : deps.narrowedBy(organization_id);
      if (narrowed instanceof Promise) {
        return narrowed.then((now) => refusedBy(recipients, now) ?? judgeServer(request));
      }
      return refusedBy(recipients, narrowed) ?? judgeServer(request);
    },
  };
};
