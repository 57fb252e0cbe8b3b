// Messaging profiles and campaigns of numbers at Telnyx, and whether a number is registered for texts to the US.
import type { SmsRegistrationState } from '@parley/contract/channels/numbers/numbers';
import type { CarrierFailure } from '../carrier-failure.ts';
import { textField } from '../carrier-http.ts';
import type {
  MessagingPort,
  NumberAtCarrier,
  NumberInService,
  Progress,
  SmsRegistrationReport,
} from '../registration.ts';
import { readOne, refused, segment, type TelnyxApi } from './api.ts';
import { ensureProfile } from './messaging-profile.ts';
import { campaignIn } from './registration/campaign.ts';
import { toll_free_states } from './registration/states.ts';
import { requestsOf } from './registration/toll-free.ts';

const assignmentPath = ({ e164 }: NumberAtCarrier) => `/10dlc/phone_number_campaigns/${segment(e164)}`;

export const telnyxMessaging = (deps: { api: TelnyxApi; callbackUrl(): string }): MessagingPort => ({
  ensureService: (organization_id) => ensureProfile(deps, organization_id),

  async attach({ provider_number_id }, messaging_profile_id) {
    const path = `/phone_numbers/${segment(provider_number_id)}/messaging`;
    const response = await deps.api.patch(path, { messaging_profile_id });
    if (response.outcome !== 'response') return response;
    return response.status === 200 ? { outcome: 'done' } : refused(response.status, response.json);
  },

  attachCampaign: (number, campaign) =>
    campaign ? joinCampaign(deps.api, number, campaign) : leaveCampaign(deps.api, number),

  async registration(number) {
    const known =
      number.number_type === 'toll_free'
        ? await tollFreeReport(deps.api, number)
        : number.country_code === 'US' && number.number_type === 'local'
          ? await campaignReport(deps.api, number)
          : ({ state: 'not_required', reason: null } as const);
    return 'state' in known ? { outcome: 'known', ...known } : known;
  },
});

/** The number stays in its profile. */
async function leaveCampaign(
  api: TelnyxApi,
  number: NumberInService,
): Promise<{ outcome: 'done'; service_reference: string | null } | CarrierFailure> {
  const left = await readOne(api.delete(assignmentPath(number)));
  return left.outcome === 'found' || left.outcome === 'absent'
    ? { outcome: 'done', service_reference: number.messaging_service_reference ?? null }
    : left;
}

/** An assignment that failed is not repeated: its reason is reported until the number leaves the campaign or gets another one. */
async function joinCampaign(
  api: TelnyxApi,
  number: NumberAtCarrier,
  campaign: Progress,
): Promise<{ outcome: 'done'; service_reference: string | null } | CarrierFailure> {
  const campaignId = campaignIn(campaign);
  if (campaignId === null)
    return { outcome: 'refused', code: 'campaign_missing', detail: 'The campaign is not at the carrier.' };
  const profile = campaign.profile;
  const done = { outcome: 'done', service_reference: typeof profile === 'string' ? profile : null } as const;
  const now = await readOne(api.get(assignmentPath(number)));
  if (now.outcome !== 'found' && now.outcome !== 'absent') return now;
  const joined = now.outcome === 'found' ? now.json : null;
  const ids = [textField(joined, 'campaignId'), textField(joined, 'telnyxCampaignId')];
  if (ids.includes(campaignId)) return done;
  const body = { phoneNumber: number.e164, campaignId };
  const changed = await readOne(
    joined ? api.put(assignmentPath(number), body) : api.post('/10dlc/phone_number_campaigns', body),
  );
  if (changed.outcome === 'found') return done;
  return changed.outcome === 'absent'
    ? { outcome: 'refused', code: 'absent', detail: 'The carrier does not have the number or the campaign.' }
    : changed;
}

const assignments: Readonly<Record<string, SmsRegistrationState | undefined>> = {
  PENDING_ASSIGNMENT: 'pending',
  ASSIGNED: 'registered',
  FAILED_ASSIGNMENT: 'failed',
  PENDING_UNASSIGNMENT: 'pending',
  // The number is still in the campaign.
  FAILED_UNASSIGNMENT: 'registered',
};

async function campaignReport(
  api: TelnyxApi,
  number: NumberAtCarrier,
): Promise<SmsRegistrationReport | CarrierFailure> {
  const assignment = await readOne(api.get(assignmentPath(number)));
  if (assignment.outcome === 'absent') return { state: 'missing', reason: 'The number is in no campaign.' };
  if (assignment.outcome !== 'found') return assignment;
  const state = assignments[textField(assignment.json, 'assignmentStatus') ?? ''] ?? 'unknown';
  const said = textField(assignment.json, 'failureReasons')?.slice(0, 500) || null;
  return { state, reason: state === 'failed' ? (said ?? 'The carrier gave no reason.') : null };
}

const registrations = {
  submitted: 'pending',
  in_review: 'pending',
  approved: 'registered',
  rejected: 'failed',
} as const;

/** Read by the number, so that a verification from Telnyx's console counts as well. */
async function tollFreeReport(
  api: TelnyxApi,
  { e164 }: NumberAtCarrier,
): Promise<SmsRegistrationReport | CarrierFailure> {
  const requests = await requestsOf(api, e164);
  if (requests.outcome !== 'found') return requests;
  const statusOf = (each: unknown) => textField(each, 'verificationStatus') ?? '';
  const newest = requests.records.find((each) => statusOf(each) === 'Verified') ?? requests.records[0];
  if (newest === undefined) return { state: 'missing', reason: 'The number has no toll-free verification.' };
  const meaning = toll_free_states[statusOf(newest)]?.state;
  const state = meaning === undefined || meaning === 'canceled' ? 'unknown' : registrations[meaning];
  return { state, reason: state === 'failed' ? (textField(newest, 'reason')?.slice(0, 500) ?? null) : null };
}
