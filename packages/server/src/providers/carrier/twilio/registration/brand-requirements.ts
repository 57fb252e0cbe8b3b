// What Twilio wants to know about a company before it registers a US brand; reads the policies and the operator's profile.
import type { RequirementResult } from '../../registration.ts';
import { checked } from '../responses.ts';
import { brandForm } from './brand-form.ts';
import type { RegistrationDeps } from './kind.ts';
import { a2p_product, readBundle, secondary_profile } from './trust-bundle.ts';

const unsupported = (detail: string): RequirementResult => ({ outcome: 'not_supported', detail });

export async function brandRequirements(deps: RegistrationDeps): Promise<RequirementResult> {
  const { customer_profile_sid, compliance_email } = deps;
  if (customer_profile_sid === null)
    return unsupported(
      'Set TWILIO_CUSTOMER_PROFILE_SID to the approved primary customer profile (BU…) of the Twilio account; it is made in the Twilio console.',
    );
  if (compliance_email === null)
    return unsupported('Set PARLEY_COMPLIANCE_EMAIL: Twilio writes to this address about registrations.');
  const hub = deps.api.host('trusthub');
  const primary = await readBundle(hub, secondary_profile.path, customer_profile_sid);
  if (primary.outcome !== 'ok') return primary;
  if (primary.status !== 'twilio-approved')
    return unsupported(
      `Twilio has not approved the primary customer profile in TWILIO_CUSTOMER_PROFILE_SID (${primary.status ?? 'it does not exist'}).`,
    );
  const policies: unknown[] = [];
  for (const { policy_sid } of [secondary_profile, a2p_product]) {
    const policy = checked(await hub.get(`/v1/Policies/${policy_sid}`), 200, 404);
    if (policy.outcome !== 'ok') return policy;
    policies.push(policy.json);
  }
  const requirements = brandForm(policies);
  if (requirements === null)
    return unsupported(
      'Twilio has changed its policies for US brands; this release does not know the new ones.',
    );
  const set = { subject_types: ['business' as const], review_days: { min: 1, max: 5 }, fee_cents: null };
  return { outcome: 'found', set: { ...set, requirements } };
}
