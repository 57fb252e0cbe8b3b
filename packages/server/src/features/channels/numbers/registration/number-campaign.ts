// Attaches a number to a campaign, or detaches it.
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { leaveCampaign, type SmsRegistrationDeps, syncOrganization } from './sms-registration.ts';

/** The carrier is asked before the answer, as far as it responds; the hourly job repeats what failed. */
export async function setCampaign(
  deps: SmsRegistrationDeps,
  { organization_id, id }: { organization_id: string; id: string },
  campaign_verification_id: string | null,
): Promise<PhoneNumber | null> {
  const number = await deps.registrations.find(organization_id, id);
  const refuse = (detail: string) =>
    new ApiError('campaign_not_usable', { detail, path: 'body.campaign_verification_id' });
  if (!number) throw refuse('The number is not active or cannot text.');
  if (campaign_verification_id !== null) {
    const campaign = await deps.verifications.campaign(organization_id, campaign_verification_id);
    const fits = campaign?.state === 'approved' && campaign.provider === number.provider;
    if (!fits) throw refuse('This is not an approved campaign at the carrier of the number.');
    if (number.country_code !== 'US' || number.number_type !== 'local')
      throw refuse('Only US local numbers join campaigns.');
  } else {
    await leaveCampaign(deps, number);
  }
  const changed = await deps.registrations.setCampaign(number, campaign_verification_id, {
    now: deps.clock.now(),
    chosen: true,
  });
  if (!changed) return null;
  await syncOrganization(deps, organization_id);
  return changed;
}
