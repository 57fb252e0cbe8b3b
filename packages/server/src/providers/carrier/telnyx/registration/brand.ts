// Registration of a US brand with Telnyx: the company that sends texts, checked by The Campaign Registry.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { field, listField, textField } from '../../carrier-http.ts';
import type {
  AdvanceResult,
  Progress,
  RegistrationRequest,
  RequirementResult,
  StateResult,
} from '../../registration.ts';
import { item, optional } from '../../requirement-items.ts';
import { readOne, refused, segment, type TelnyxApi } from '../api.ts';
import { enumChoices, given, textAnswer } from './form.ts';
import {
  allRecords,
  beginAttempt,
  cancelFound,
  corrected,
  type FieldKeys,
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
import { brand_states } from './states.ts';

/** Telnyx charges it when the brand is created, and does not return it. */
const fee_cents = 400;

const keys: FieldKeys = {
  companyName: 'subject_name',
  displayName: 'display_name',
  entityType: 'entity_type',
  vertical: 'vertical',
  ein: 'registration_number',
  email: 'email',
  phone: 'phone',
  website: 'website',
  street: 'address',
  city: 'address',
  state: 'address',
  postalCode: 'address',
  country: 'address',
  stockSymbol: 'stock_symbol',
  stockExchange: 'stock_exchange',
  businessContactEmail: 'business_contact_email',
};

export const brandRegistration = (deps: RegistrationDeps): KindRegistration => ({
  requirements: () => requirements(deps),
  advance: (request, progress, { may_be_done }) => advance(deps, request, progress, may_be_done),
  state: (progress) => state(deps, progress),
  cancel: (progress) => cancel(deps, progress),

  async adopt(id) {
    const brand = await readOne(deps.api.get(brandPath(id)));
    return brand.outcome === 'found'
      ? { outcome: 'found', progress: { brand: id }, service_reference: null }
      : brand;
  },
});

const brandPath = (id: string) => `/10dlc/brand/${segment(id)}`;
const brandIn = (progress: Progress) => idIn(progress, 'brand') ?? idIn(progress, 'id');

async function requirements({ api }: RegistrationDeps): Promise<RequirementResult> {
  const entities = await enumChoices(api, 'entityType');
  if (entities.outcome !== 'found') return entities;
  const verticals = await enumChoices(api, 'vertical');
  if (verticals.outcome !== 'found') return verticals;
  // A sole proprietor confirms a code by text, which only Telnyx's console can do.
  const entity_types = entities.choices.filter(({ value }) => value !== 'SOLE_PROPRIETOR');
  return {
    outcome: 'found',
    set: {
      subject_types: ['business'],
      review_days: null,
      fee_cents,
      requirements: [
        item({ key: 'subject_name', label: 'Legal name of the company', input: 'text', max_length: 100 }),
        optional({ key: 'display_name', label: 'Name that customers know', input: 'text', max_length: 100 }),
        item({ key: 'entity_type', label: 'Legal form', input: 'choice', choices: entity_types }),
        item({ key: 'vertical', label: 'Industry', input: 'choice', choices: verticals.choices }),
        item({
          key: 'registration_number',
          label: 'Tax number',
          description: 'In the US the EIN of 9 digits.',
          input: 'text',
          max_length: 20,
        }),
        item({
          key: 'address',
          label: 'Address',
          description: 'In the US, region is the code of the state with two letters.',
          input: 'address',
        }),
        item({ key: 'email', label: 'Email for support', input: 'email', max_length: 100 }),
        item({ key: 'phone', label: 'Phone', input: 'phone' }),
        item({ key: 'website', label: 'Website', input: 'url', max_length: 100 }),
        optional({
          key: 'business_contact_email',
          label: 'Contact of a listed company',
          description: 'Required for PUBLIC_PROFIT. A person must confirm a message to this address.',
          input: 'email',
        }),
        optional({
          key: 'stock_symbol',
          label: 'Stock symbol of a listed company',
          input: 'text',
          max_length: 10,
        }),
        optional({
          key: 'stock_exchange',
          label: 'Stock exchange of a listed company',
          input: 'text',
          max_length: 20,
        }),
      ],
    },
  };
}

const bodyOf = (deps: RegistrationDeps, request: RegistrationRequest) => {
  const { subject_name, address, registration_number } = request;
  const answer = (key: string) => textAnswer(request, key);
  return given({
    entityType: answer('entity_type'),
    displayName: answer('display_name') ?? subject_name,
    companyName: subject_name,
    ein: registration_number ?? answer('registration_number'),
    vertical: answer('vertical'),
    email: answer('email'),
    phone: answer('phone'),
    website: answer('website'),
    street: address?.street,
    city: address?.city,
    state: address?.region ?? undefined,
    postalCode: address?.postal_code,
    country: address?.country_code ?? 'US',
    stockSymbol: answer('stock_symbol'),
    stockExchange: answer('stock_exchange'),
    businessContactEmail: answer('business_contact_email'),
    webhookURL: webhookFor(deps, request.reference),
  });
};

async function advance(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  const begun = beginAttempt(request, progress);
  if (begun) return begun;
  const brand = brandIn(progress);
  if (brand === null) return createBrand(deps, request, progress);
  if (progress.created === request.attempt) return handedOver(progress, brand);
  if (progress.changed !== request.attempt) return changeBrand(deps, request, progress, brand);
  return revet(deps, progress, brand, may_be_done);
}

/** It costs money, so it is always looked for first. */
async function createBrand(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const body = bodyOf(deps, request);
  const earlier_brand = await findBrand(deps, request.reference, body.displayName);
  if (earlier_brand.outcome !== 'known') return earlier_brand;
  const next_progress = { ...progress, created: request.attempt };
  if (earlier_brand.id !== null)
    return handedOver({ ...next_progress, brand: earlier_brand.id }, earlier_brand.id);
  const response = await deps.api.post('/10dlc/brand', body);
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, keysBy(keys));
  const id = textField(response.json, 'brandId');
  if (!id) return { outcome: 'lost', detail: 'a brand without an id' };
  return handedOver({ ...next_progress, brand: id }, id);
}

/** A cancellation does not know the name. */
const newest_brands = 50;

/** The list has no webhook and no tax number, so every brand of the same name is read. */
async function findBrand(
  { api }: RegistrationDeps,
  reference: string,
  displayName: string | undefined,
): Promise<{ outcome: 'known'; id: string | null } | CarrierFailure> {
  const listed = await allRecords(api, '/10dlc/brand', [
    ['sort', '-createdAt'],
    ...(displayName === undefined ? [] : [['displayName', displayName] as [string, string]]),
  ]);
  if (listed.outcome !== 'found') return listed;
  const candidates = displayName === undefined ? listed.records.slice(0, newest_brands) : listed.records;
  for (const each of candidates) {
    const id = textField(each, 'brandId');
    if (id === null) continue;
    const brand = await readOne(api.get(brandPath(id)));
    if (brand.outcome === 'absent') continue;
    if (brand.outcome !== 'found') return brand;
    if (isOurWebhook(textField(brand.json, 'webhookURL'), reference)) return { outcome: 'known', id };
  }
  return { outcome: 'known', id: null };
}

/** May be repeated. */
async function changeBrand(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  brand: string,
): Promise<AdvanceResult> {
  const response = await deps.api.put(brandPath(brand), bodyOf(deps, request));
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, keysBy(keys));
  return { outcome: 'step', progress: { ...progress, changed: request.attempt } };
}

/** Allowed once after the registration and then once in three months, so a refusal after a lost answer means that it was done. */
async function revet(
  { api, now_ms }: RegistrationDeps,
  progress: Progress,
  brand: string,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  const response = await api.put(`${brandPath(brand)}/revet`);
  if (response.outcome !== 'response') return response;
  const { status, json } = response;
  const is_done = status < 300 || (may_be_done && status !== 401 && status !== 403);
  if (!is_done) return refused(status, json);
  const mark = status < 300 ? textField(json, 'updatedAt') : null;
  return handedOver({ ...progress, ...corrected(mark, now_ms()) }, brand);
}

async function state({ api, now_ms }: RegistrationDeps, progress: Progress): Promise<StateResult> {
  const id = brandIn(progress);
  if (id === null) return { outcome: 'absent' };
  const brand = await readOne(api.get(brandPath(id)));
  if (brand.outcome !== 'found') return brand;
  const status = textField(brand.json, 'status') ?? '';
  const word = status === 'OK' ? `OK ${textField(brand.json, 'identityStatus') ?? ''}` : status;
  const meaning = brand_states[word];
  if (!meaning) return { outcome: 'unclear', word };
  if (meaning.state !== 'rejected') return { outcome: 'known', ...quiet, ...meaning };
  if (isOldDecision(progress, textField(brand.json, 'updatedAt'), now_ms()))
    return { outcome: 'known', ...quiet, state: 'in_review' };
  const feedback = await feedbackOn(api, id);
  if (!Array.isArray(feedback)) return feedback;
  const said = reasonsIn(field(brand.json, 'failureReasons'), keys, word);
  const problems = withReason([...feedback, ...said], word.replace(' ', '_').toLowerCase());
  return { outcome: 'known', ...quiet, ...meaning, problems };
}

async function feedbackOn(api: TelnyxApi, brand: string): Promise<VerificationProblem[] | CarrierFailure> {
  const feedback = await readOne(api.get(`/10dlc/brand/feedback/${segment(brand)}`));
  if (feedback.outcome === 'absent' || feedback.outcome === 'refused') return [];
  if (feedback.outcome !== 'found') return feedback;
  return reasonsIn(listField(feedback.json, 'category'), keys, 'feedback');
}

async function cancel(
  deps: RegistrationDeps,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const reference = idIn(progress, 'reference');
  const known_id = brandIn(progress);
  const brand =
    known_id !== null || reference === null
      ? { outcome: 'known' as const, id: known_id }
      : await findBrand(deps, reference, undefined);
  return cancelFound(deps.api, brand, brandPath);
}
