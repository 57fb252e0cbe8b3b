// Verification of texts from one toll-free number at Telnyx.
import type { CarrierFailure } from '../../carrier-failure.ts';
import { field, listField, textField } from '../../carrier-http.ts';
import type { AdvanceResult, Progress, RegistrationRequest, StateResult } from '../../registration.ts';
import { readOne, refused, segment, type TelnyxApi } from '../api.ts';
import { booleanAnswer, given, listAnswer, textAnswer } from './form.ts';
import {
  beginAttempt,
  cancelFound,
  corrected,
  handedOver,
  idIn,
  isOldDecision,
  isOurWebhook,
  type KindRegistration,
  keysBy,
  notTaken,
  quiet,
  type RegistrationDeps,
  reasonsIn,
  webhookFor,
  withReason,
} from './kind.ts';
import { toll_free_states } from './states.ts';
import { toll_free_keys as keys, tollFreeForm } from './toll-free-form.ts';

const path = '/messaging_tollfree/verification/requests';
const requestPath = (id: string) => `${path}/${segment(id)}`;
const requestIn = (progress: Progress) => idIn(progress, 'request') ?? idIn(progress, 'id');

export const tollFreeRegistration = (deps: RegistrationDeps): KindRegistration => ({
  requirements: async ({ use_case }) => ({
    outcome: 'found',
    set: {
      subject_types: ['business'],
      review_days: { min: 5, max: 10 },
      fee_cents: null,
      requirements: tollFreeForm(use_case === null),
    },
  }),
  advance: (request, progress) => advance(deps, request, progress),
  state: (progress) => state(deps, progress),
  cancel: (progress) => cancel(deps, progress),

  async adopt(id) {
    const request = await readOne(deps.api.get(requestPath(id)));
    // Telnyx refuses an id that is no UUID.
    if (request.outcome === 'refused') return { outcome: 'absent' };
    return request.outcome === 'found'
      ? { outcome: 'found', progress: { request: id }, service_reference: null }
      : request;
  },
});

function bodyOf(deps: RegistrationDeps, request: RegistrationRequest) {
  const { subject_name, address, registration_number, number } = request;
  const answer = (key: string) => textAnswer(request, key);
  return given({
    businessName: subject_name,
    doingBusinessAs: answer('display_name'),
    corporateWebsite: answer('website'),
    businessAddr1: address?.street,
    businessCity: address?.city,
    businessState: address?.region ?? undefined,
    businessZip: address?.postal_code,
    businessContactFirstName: answer('contact_first_name'),
    businessContactLastName: answer('contact_last_name'),
    businessContactEmail: answer('contact_email'),
    businessContactPhone: answer('contact_phone'),
    businessRegistrationNumber: registration_number ?? answer('registration_number'),
    businessRegistrationType: answer('registration_type'),
    businessRegistrationCountry: address?.country_code,
    entityType: answer('entity_type'),
    messageVolume: answer('message_volume'),
    phoneNumbers: number ? [{ phoneNumber: number.e164 }] : [],
    useCase: request.use_case ?? answer('use_case'),
    useCaseSummary: answer('use_case_summary'),
    productionMessageContent: answer('message_sample'),
    optInWorkflow: answer('opt_in_workflow'),
    optInWorkflowImageURLs: listAnswer(request, 'opt_in_image_urls').map((url) => ({ url })),
    optInKeywords: answer('opt_in_keywords'),
    optInConfirmationResponse: answer('opt_in_message'),
    helpMessageResponse: answer('help_message'),
    privacyPolicyURL: answer('privacy_policy_url'),
    termsAndConditionURL: answer('terms_url'),
    ageGatedContent: booleanAnswer(request, 'age_gated') ?? false,
    additionalInformation: answer('additional_information') ?? '',
    webhookUrl: webhookFor(deps, request.reference),
  });
}

async function advance(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const begun = beginAttempt(request, progress, { e164: request.number?.e164 ?? null });
  if (begun) return begun;
  const id = requestIn(progress);
  if (id === null) return create(deps, request, progress);
  return progress.created === request.attempt
    ? handedOver(progress, id)
    : change(deps, request, progress, id);
}

/** Always looked for first, so that a lost answer creates no second request. */
async function create(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const { number, reference } = request;
  if (!number) return { outcome: 'refused', code: 'number_missing', detail: 'The number is missing.' };
  const earlier_request = await findRequest(deps.api, number.e164, reference);
  if (earlier_request.outcome !== 'known') return earlier_request;
  const next_progress = { ...progress, created: request.attempt };
  if (earlier_request.id !== null)
    return handedOver({ ...next_progress, request: earlier_request.id }, earlier_request.id);
  const response = await deps.api.post(path, bodyOf(deps, request));
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, keysBy(keys));
  const id = textField(response.json, 'id');
  if (!id) return { outcome: 'lost', detail: 'a toll-free request without an id' };
  return handedOver({ ...next_progress, request: id }, id);
}

async function findRequest(
  api: TelnyxApi,
  e164: string,
  reference: string,
): Promise<{ outcome: 'known'; id: string | null } | CarrierFailure> {
  const listed = await requestsOf(api, e164);
  if (listed.outcome !== 'found') return listed;
  const ours = listed.records.find((each) => isOurWebhook(textField(each, 'webhookUrl'), reference));
  return { outcome: 'known', id: textField(ours, 'id') };
}

/** The requests for a number, newest first. */
export async function requestsOf(
  api: TelnyxApi,
  e164: string,
): Promise<{ outcome: 'found'; records: unknown[] } | CarrierFailure> {
  const response = await api.get(path, [
    ['page', '1'],
    ['page_size', '100'],
    ['phone_number', e164],
  ]);
  if (response.outcome !== 'response') return response;
  if (response.status === 404) return { outcome: 'found', records: [] };
  if (response.status !== 200) return refused(response.status, response.json);
  const records = listField(response.json, 'records').filter((each) =>
    listField(each, 'phoneNumbers').some((number) => textField(number, 'phoneNumber') === e164),
  );
  const createdAt = (each: unknown) => textField(each, 'createdAt') ?? '';
  return { outcome: 'found', records: records.sort((a, b) => createdAt(b).localeCompare(createdAt(a))) };
}

/** May be repeated. */
async function change(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  id: string,
): Promise<AdvanceResult> {
  const response = await deps.api.patch(requestPath(id), bodyOf(deps, request));
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, keysBy(keys));
  const now = await readOne(deps.api.get(requestPath(id)));
  const mark = now.outcome === 'found' ? textField(now.json, 'updatedAt') : null;
  return handedOver({ ...progress, ...corrected(mark, deps.now_ms()) }, id);
}

async function state({ api, now_ms }: RegistrationDeps, progress: Progress): Promise<StateResult> {
  const id = requestIn(progress);
  if (id === null) return { outcome: 'absent' };
  const request = await readOne(api.get(requestPath(id)));
  if (request.outcome !== 'found') return request;
  const word = textField(request.json, 'verificationStatus') ?? '';
  const meaning = toll_free_states[word];
  if (!meaning) return { outcome: 'unclear', word };
  if (meaning.state !== 'rejected') return { outcome: 'known', ...quiet, ...meaning };
  if (isOldDecision(progress, textField(request.json, 'updatedAt'), now_ms()))
    return { outcome: 'known', ...quiet, state: 'in_review' };
  const code = word.replaceAll(' ', '_').toLowerCase();
  const problems = withReason(reasonsIn(field(request.json, 'reason'), keys, code), code);
  return { outcome: 'known', ...quiet, ...meaning, problems };
}

/** Telnyx deletes only a rejected request. */
async function cancel(
  deps: RegistrationDeps,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const { e164, reference } = progress;
  const known_id = requestIn(progress);
  const carrier_request =
    known_id === null && typeof e164 === 'string' && typeof reference === 'string'
      ? await findRequest(deps.api, e164, reference)
      : { outcome: 'known' as const, id: known_id };
  return cancelFound(deps.api, carrier_request, requestPath);
}
