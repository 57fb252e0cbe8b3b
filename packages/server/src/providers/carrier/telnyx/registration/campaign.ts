// Registration of a US campaign with Telnyx: what the texts of a brand are for, reviewed by Telnyx and the networks.
import type { CarrierFailure } from '../../carrier-failure.ts';
import { field, textField } from '../../carrier-http.ts';
import type {
  AdvanceResult,
  Progress,
  RegistrationQuery,
  RegistrationRequest,
  RequirementResult,
  StateResult,
} from '../../registration.ts';
import { readOne, segment } from '../api.ts';
import { ensureProfile } from '../messaging-profile.ts';
import { campaignForm, campaign_keys as keys } from './campaign-form.ts';
import { booleanAnswer, enumChoices, given, listAnswer, textAnswer } from './form.ts';
import {
  allRecords,
  beginAttempt,
  cancelFound,
  handedOver,
  idIn,
  type KindRegistration,
  keysBy,
  notTaken,
  quiet,
  type RegistrationDeps,
  reasonsIn,
  webhookFor,
  withReason,
} from './kind.ts';
import { appealable, campaign_states } from './states.ts';

/** Telnyx can change only these in a campaign that exists. */
const editable = new Set(['message_samples', 'message_flow', 'help_message']);

export const campaignRegistration = (deps: RegistrationDeps): KindRegistration => ({
  requirements: (query) => requirements(deps, query),
  advance: (request, progress, { may_be_done }) => advance(deps, request, progress, may_be_done),
  state: (progress) => state(deps, progress),
  cancel: (progress) => cancel(deps, progress),

  async adopt(id) {
    const campaign = await readOne(deps.api.get(campaignPath(id)));
    return campaign.outcome === 'found'
      ? { outcome: 'found', progress: { campaign: id }, service_reference: null }
      : campaign;
  },
});

const campaignPath = (id: string) => `/10dlc/campaign/${segment(id)}`;
export const campaignIn = (progress: Progress) => idIn(progress, 'campaign') ?? idIn(progress, 'id');
const brandOf = ({ brand }: { brand: Progress | null }) =>
  brand && (idIn(brand, 'brand') ?? idIn(brand, 'id'));

async function requirements({ api }: RegistrationDeps, query: RegistrationQuery): Promise<RequirementResult> {
  const use_cases = query.use_case === null ? await enumChoices(api, 'usecase') : null;
  if (use_cases && use_cases.outcome !== 'found') return use_cases;
  const brand = brandOf(query);
  const terms = query.use_case !== null && brand ? await termsOf(api, brand, query.use_case) : null;
  if (terms?.outcome === 'refused' || terms?.outcome === 'absent')
    return { outcome: 'not_supported', detail: `The brand cannot have a campaign for ${query.use_case}.` };
  if (terms && terms.outcome !== 'found') return terms;
  return {
    outcome: 'found',
    set: {
      subject_types: ['business'],
      review_days: null,
      fee_cents: terms ? upfrontCents(terms.json) : null,
      requirements: campaignForm(use_cases?.choices ?? null),
    },
  };
}

/** Whether the brand qualifies for the use case, and what it costs. */
const termsOf = (api: RegistrationDeps['api'], brand: string, use_case: string) =>
  readOne(api.get(`/10dlc/campaignBuilder/brand/${segment(brand)}/usecase/${segment(use_case)}`));

/** Telnyx charges three months when the campaign is created. */
function upfrontCents(terms: unknown): number | null {
  const monthly = Number(field(terms, 'monthlyFee') ?? Number.NaN) * 3;
  const quarterly = Number(field(terms, 'quarterlyFee') ?? Number.NaN);
  const dollars = quarterly > 0 ? quarterly : monthly;
  return dollars >= 0 ? Math.round(dollars * 100) : null;
}

const useCaseOf = (request: RegistrationRequest) => request.use_case ?? textAnswer(request, 'use_case') ?? '';

const samplesOf = (request: RegistrationRequest) =>
  Object.fromEntries(
    listAnswer(request, 'message_samples')
      .slice(0, 5)
      .map((text, index) => [`sample${index + 1}`, text]),
  );

const keywords = (request: RegistrationRequest, key: string): string | undefined =>
  textAnswer(request, key)?.replaceAll(/\s*,\s*/g, ',');

function bodyOf(deps: RegistrationDeps, request: RegistrationRequest, brandId: string, referenceId: string) {
  const answer = (key: string) => textAnswer(request, key);
  const flag = (key: string) => booleanAnswer(request, key) ?? false;
  const sub_use_cases = listAnswer(request, 'sub_use_cases');
  return given({
    brandId,
    referenceId,
    usecase: useCaseOf(request),
    subUsecases: sub_use_cases.length > 0 ? sub_use_cases : undefined,
    description: answer('description'),
    messageFlow: answer('message_flow'),
    ...samplesOf(request),
    helpMessage: answer('help_message'),
    helpKeywords: keywords(request, 'help_keywords'),
    optinMessage: answer('opt_in_message'),
    optinKeywords: keywords(request, 'opt_in_keywords'),
    optoutMessage: answer('opt_out_message'),
    optoutKeywords: keywords(request, 'opt_out_keywords'),
    subscriberOptin: true,
    subscriberOptout: true,
    subscriberHelp: true,
    embeddedLink: flag('has_links'),
    embeddedLinkSample: answer('link_sample'),
    embeddedPhone: flag('has_phone_numbers'),
    ageGated: flag('age_gated'),
    directLending: flag('direct_lending'),
    privacyPolicyLink: answer('privacy_policy_url'),
    termsAndConditionsLink: answer('terms_url'),
    termsAndConditions: flag('terms_accepted'),
    autoRenewal: true,
    webhookURL: webhookFor(deps, request.reference),
  });
}

async function advance(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  const begun = beginAttempt(request, progress, { brand: brandOf(request) });
  if (begun) return begun;
  if (idIn(progress, 'profile') === null) return joinProfile(deps, request, progress);
  const campaign = campaignIn(progress);
  if (campaign === null) return createCampaign(deps, request, progress);
  if (progress.created === request.attempt) return handedOver(progress, campaign);
  if (progress.changed === request.attempt) return appeal(deps, request, progress, campaign, may_be_done);
  return correctOrReplace(deps, request, progress, campaign);
}

/** Numbers must be in a messaging profile before they join the campaign. */
async function joinProfile(
  deps: RegistrationDeps,
  { organization_id }: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const profile = await ensureProfile(deps, organization_id);
  if (profile.outcome !== 'done') return profile;
  return { outcome: 'step', progress: { ...progress, profile: profile.service_reference } };
}

/** Unique at Telnyx, also for a campaign that replaces one that could not be corrected. */
const referenceOf = (reference: string, attempt: number) =>
  attempt === 1 ? reference : `${reference}-${attempt}`;

/** It costs money, so it is always looked for first. Telnyx also refuses a second campaign with the same reference. */
async function createCampaign(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const brand = brandOf(request);
  if (!brand)
    return { outcome: 'refused', code: 'brand_missing', detail: 'The brand is not at the carrier.' };
  const reference = referenceOf(request.reference, request.attempt);
  const earlier_campaign = await findCampaign(deps, brand, reference);
  if (earlier_campaign.outcome !== 'known') return earlier_campaign;
  const next_progress = { ...progress, created: request.attempt };
  if (earlier_campaign.id !== null)
    return handedOver({ ...next_progress, campaign: earlier_campaign.id }, earlier_campaign.id);
  const terms = await termsOf(deps.api, brand, useCaseOf(request));
  if (terms.outcome === 'refused' || terms.outcome === 'absent') {
    const message = 'The brand does not qualify for this use case.';
    return {
      outcome: 'incomplete',
      progress,
      problems: [{ key: 'use_case', code: 'not_qualified', message }],
    };
  }
  if (terms.outcome !== 'found') return terms;
  const response = await deps.api.post('/10dlc/campaignBuilder', bodyOf(deps, request, brand, reference));
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, keysBy(keys));
  const id = textField(response.json, 'campaignId');
  if (!id) return { outcome: 'lost', detail: 'a campaign without an id' };
  return handedOver({ ...next_progress, campaign: id }, id);
}

async function findCampaign(
  { api }: RegistrationDeps,
  brand: string,
  reference: string,
): Promise<{ outcome: 'known'; id: string | null } | CarrierFailure> {
  const listed = await allRecords(api, '/10dlc/campaign', [['brandId', brand]]);
  if (listed.outcome !== 'found') return listed;
  const ours = listed.records.find((each) => textField(each, 'referenceId') === reference);
  return { outcome: 'known', id: textField(ours, 'campaignId') };
}

/** An appeal is free. A campaign that cannot be changed or appealed is ended before a new one is made. */
async function correctOrReplace(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  campaign: string,
): Promise<AdvanceResult> {
  const now = await readOne(deps.api.get(campaignPath(campaign)));
  if (now.outcome !== 'found' && now.outcome !== 'absent') return now;
  const status = now.outcome === 'found' ? (textField(now.json, 'campaignStatus') ?? '') : '';
  const fits = now.outcome === 'found' && isEditable(request, now.json);
  if (appealable.has(status) && fits) return changeCampaign(deps, request, progress, campaign);
  const ended = await readOne(deps.api.delete(campaignPath(campaign)));
  // A campaign that has ended already is refused.
  if (ended.outcome === 'busy' || ended.outcome === 'lost') return ended;
  const { campaign: _, id: __, ...rest } = progress;
  return { outcome: 'step', progress: rest };
}

/** Whether everything that was rejected or corrected can be changed in the campaign. */
const isEditable = (request: RegistrationRequest, campaign: unknown): boolean =>
  request.problems.every(({ key }) => key === null || editable.has(key)) &&
  textField(campaign, 'description')?.trim() === textAnswer(request, 'description')?.trim() &&
  textField(campaign, 'usecase') === useCaseOf(request);

/** May be repeated. */
async function changeCampaign(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  campaign: string,
): Promise<AdvanceResult> {
  const body = given({
    ...samplesOf(request),
    messageFlow: textAnswer(request, 'message_flow'),
    helpMessage: textAnswer(request, 'help_message'),
    webhookURL: webhookFor(deps, request.reference),
  });
  const response = await deps.api.put(campaignPath(campaign), body);
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, keysBy(keys));
  return { outcome: 'step', progress: { ...progress, changed: request.attempt } };
}

async function appeal(
  { api }: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  campaign: string,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  if (may_be_done) {
    const now = await readOne(api.get(campaignPath(campaign)));
    if (now.outcome !== 'found') return now.outcome === 'absent' ? absent : now;
    // An appeal sets the campaign back to its review.
    if (!appealable.has(textField(now.json, 'campaignStatus') ?? '')) return handedOver(progress, campaign);
  }
  const rejected_for = request.problems
    .map(({ message }) => message)
    .join(' ')
    .slice(0, 1000);
  const appeal_reason =
    textAnswer(request, 'appeal_reason') ??
    `The campaign was corrected. It had been rejected for: ${rejected_for}`;
  const response = await api.post(`${campaignPath(campaign)}/appeal`, { appeal_reason });
  if (response.outcome !== 'response') return response;
  return response.status < 300 ? handedOver(progress, campaign) : notTaken(response, progress, keysBy(keys));
}

const absent = {
  outcome: 'refused',
  code: 'absent',
  detail: 'The carrier does not have the campaign.',
} as const;

async function state({ api }: RegistrationDeps, progress: Progress): Promise<StateResult> {
  const id = campaignIn(progress);
  if (id === null) return { outcome: 'absent' };
  const campaign = await readOne(api.get(campaignPath(id)));
  if (campaign.outcome !== 'found') return campaign;
  const word = textField(campaign.json, 'campaignStatus') ?? '';
  const meaning = campaign_states[word];
  if (!meaning) return { outcome: 'unclear', word };
  if (meaning.state !== 'rejected') return { outcome: 'known', ...quiet, ...meaning };
  const code = word.toLowerCase();
  const problems = withReason(reasonsIn(field(campaign.json, 'failureReasons'), keys, code), code);
  return { outcome: 'known', ...quiet, ...meaning, problems };
}

async function cancel(
  deps: RegistrationDeps,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const { brand, reference, attempt } = progress;
  const known_id = campaignIn(progress);
  const campaign =
    known_id === null && typeof brand === 'string' && typeof reference === 'string'
      ? await findCampaign(deps, brand, referenceOf(reference, Number(attempt)))
      : { outcome: 'known' as const, id: known_id };
  return cancelFound(deps.api, campaign, campaignPath);
}
