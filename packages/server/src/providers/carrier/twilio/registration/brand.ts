// US brands at Twilio, in three parts: the customer's profile, the product for texts to the US, the brand itself.
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import type { Progress, StateResult } from '../../registration.ts';
import { checked, isSid } from '../responses.ts';
import { brandKey } from './brand-form.ts';
import { brandRequirements } from './brand-requirements.ts';
import { advanceBrand, brands_path } from './brand-steps.ts';
import { problem } from './form-items.ts';
import type { KindRegistration, RegistrationDeps } from './kind.ts';
import { known } from './state.ts';
import { a2p_product, bundleState, readBundle, secondary_profile } from './trust-bundle.ts';

export const brandRegistration = (deps: RegistrationDeps): KindRegistration => ({
  requirements: () => brandRequirements(deps),
  advance: (request, progress, { may_be_done }) => advanceBrand(deps, request, progress, may_be_done),
  state: (progress) => stateOf(deps, progress),
  cancel: (progress) => cancel(deps, progress),
  adopt: (sid) => adopt(deps, sid),
});

async function stateOf({ api }: RegistrationDeps, progress: Progress): Promise<StateResult> {
  const hub = api.host('trusthub');
  if (typeof progress.brand_sid === 'string') {
    const response = await api.host('messaging').get(`${brands_path}/${progress.brand_sid}`);
    const answer = checked(response, 200, 404);
    if (answer.outcome !== 'ok') return answer;
    return answer.status === 404 ? { outcome: 'absent' } : brandState(answer.json);
  }
  if (progress.product_submitted) return bundleState(hub, a2p_product, String(progress.product_sid));
  if (progress.profile_submitted) return bundleState(hub, secondary_profile, String(progress.profile_sid));
  return { outcome: 'absent' };
}

function brandState(json: unknown): StateResult {
  const status = textField(json, 'status') ?? '';
  switch (status) {
    case 'PENDING':
    case 'IN_REVIEW':
      return known('in_review');
    case 'APPROVED':
      return approvedState(textField(json, 'identity_status'));
    case 'FAILED':
      return known('rejected', { problems: failuresOf(json) });
    case 'SUSPENDED':
      return known('rejected', {
        problems: [problem(null, 'suspended', 'The networks suspended the brand.')],
      });
    case 'DELETION_PENDING':
      return known('canceled');
    default:
      return { outcome: 'unclear', word: status };
  }
}

/** A brand counts when the registry has confirmed who it is. A person may have to confirm it first. */
function approvedState(identity: string | null): StateResult {
  if (identity === 'UNVERIFIED') return known('in_review', { waiting_for: 'contact' });
  return known(identity === 'SELF_DECLARED' ? 'in_review' : 'approved');
}

function failuresOf(json: unknown) {
  const problems = listField(json, 'errors').flatMap((error) => {
    const code = textField(error, 'error_code') ?? 'failed';
    const message = textField(error, 'description') ?? `The registry refused the brand (error ${code}).`;
    const keys = listField(error, 'fields').map((name) => brandKey(String(name)));
    return (keys.length > 0 ? [...new Set(keys)] : [null]).map((key) => problem(key, code, message));
  });
  const reason = textField(json, 'failure_reason') ?? 'The registry refused the brand without a reason.';
  return problems.length > 0 ? problems : [problem(null, 'failed', reason)];
}

/** A profile that Twilio has seen and a brand stay: they belong to the history of the account. */
async function cancel(
  { api }: RegistrationDeps,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const hub = api.host('trusthub');
  const bundles = [
    [a2p_product.path, progress.product_sid],
    [secondary_profile.path, progress.profile_sid],
  ] as const;
  for (const [path, sid] of bundles) {
    if (typeof sid !== 'string' || typeof progress.brand_sid === 'string') continue;
    const now = await readBundle(hub, path, sid);
    if (now.outcome !== 'ok') return now;
    if (now.status !== 'draft') continue;
    const deleted = checked(await hub.delete(`${path}/${sid}`), 204, 404);
    if (deleted.outcome !== 'ok') return deleted;
  }
  return { outcome: 'done' };
}

async function adopt({ api }: RegistrationDeps, sid: string): ReturnType<KindRegistration['adopt']> {
  if (!isSid('BN', sid)) return { outcome: 'absent' };
  const answer = checked(await api.host('messaging').get(`${brands_path}/${sid}`), 200, 404);
  if (answer.outcome !== 'ok') return answer;
  if (answer.status === 404) return { outcome: 'absent' };
  const progress: Progress = {
    brand_sid: sid,
    adopted: true,
    profile_sid: textField(answer.json, 'customer_profile_bundle_sid'),
    product_sid: textField(answer.json, 'a2p_profile_bundle_sid'),
  };
  return { outcome: 'found', progress, service_reference: null };
}
