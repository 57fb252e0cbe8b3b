// US campaigns at Twilio: each has a messaging service of its own, which approved numbers join.
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import type {
  AdvanceResult,
  Progress,
  RegistrationQuery,
  RegistrationRequest,
  RequirementResult,
  StateResult,
} from '../../registration.ts';
import { errorIn, type TwilioHostApi } from '../api.ts';
import { checked, createdSid, isSid, listAll } from '../responses.ts';
import { campaignService, ensureService } from '../services.ts';
import {
  campaignFields,
  campaignForm,
  campaignKey,
  campaignProblems,
  canEdit,
  editFields,
  type UseCase,
} from './campaign-form.ts';
import { problem } from './form-items.ts';
import type { KindRegistration, RegistrationDeps } from './kind.ts';
import { known } from './state.ts';

export const campaignRegistration = ({ api }: RegistrationDeps): KindRegistration => {
  const host = api.host('messaging');
  return {
    requirements: (query) => requirements(host, query),
    advance: (request, progress) => advance(host, request, progress),
    state: (progress) => stateOf(host, progress),
    cancel: (progress) => cancel(host, progress),
    adopt: (sid) => adopt(host, sid),
  };
};

const listPath = (service_sid: string) => `/v1/Services/${service_sid}/Compliance/Usa2p`;
const campaignPath = ({ service_sid, campaign_sid }: Progress) =>
  `${listPath(String(service_sid))}/${String(campaign_sid)}`;

async function requirements(host: TwilioHostApi, query: RegistrationQuery): Promise<RequirementResult> {
  const offered = await useCases(host, query.brand);
  if (offered.outcome !== 'ok') return offered;
  return {
    outcome: 'found',
    set: {
      subject_types: ['business'],
      review_days: { min: 10, max: 15 },
      fee_cents: null,
      requirements: campaignForm(offered.use_cases, query.use_case),
    },
  };
}

/** The use cases for a brand. Twilio tells them only in a messaging service, no matter which; none without a service. */
async function useCases(
  host: TwilioHostApi,
  brand: Progress | null,
): Promise<{ outcome: 'ok'; use_cases: UseCase[] } | CarrierFailure> {
  let service_sid = brand?.service_sid ?? null;
  if (service_sid === null) {
    const first = checked(await host.get('/v1/Services', { PageSize: '1' }), 200);
    if (first.outcome !== 'ok') return first;
    service_sid = textField(first.json, 'services', 0, 'sid');
  }
  if (service_sid === null) return { outcome: 'ok', use_cases: [] };
  const query: Record<string, string> =
    typeof brand?.brand_sid === 'string' ? { BrandRegistrationSid: brand.brand_sid } : {};
  const answer = checked(await host.get(`${listPath(String(service_sid))}/Usecases`, query), 200);
  if (answer.outcome !== 'ok') return answer;
  const use_cases = listField(answer.json, 'us_app_to_person_usecases').flatMap((each) => {
    const code = textField(each, 'code');
    const description = textField(each, 'description');
    return code ? [{ code, name: textField(each, 'name') ?? code, description }] : [];
  });
  return { outcome: 'ok', use_cases };
}

/** The steps: service; then create, or for a failed campaign edit, else delete and create. */
async function advance(
  host: TwilioHostApi,
  request: RegistrationRequest,
  stored: Progress,
): Promise<AdvanceResult> {
  const problems = campaignProblems(request);
  if (problems.length > 0) return { outcome: 'incomplete', progress: stored, problems };
  const progress: Progress =
    stored.attempt === request.attempt ? stored : { ...stored, attempt: request.attempt, replace: false };
  if (!progress.service_sid) {
    const service = await ensureService(host, campaignService(request.reference));
    if (service.outcome !== 'ok') return service;
    return { outcome: 'step', progress: { ...progress, service_sid: service.sid } };
  }
  if (!progress.campaign_sid) return create(host, request, progress);
  return progress.replace ? remove(host, progress) : edit(host, request, progress);
}

const handedOver = (progress: Progress): AdvanceResult => ({
  outcome: 'handed_over',
  progress,
  provider_verification_id: String(progress.campaign_sid),
  address_reference: null,
  service_reference: String(progress.service_sid),
});

/** A campaign costs money. A service has at most one, so the service is asked before every creation. */
async function create(
  host: TwilioHostApi,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const path = listPath(String(progress.service_sid));
  const existing = await listAll(host, path, 'compliance');
  if (existing.outcome !== 'ok') return existing;
  const sids = existing.items.map((each) => textField(each, 'sid'));
  const open_sid = sids.find((sid) => sid !== null && sid !== progress.deleted_sid);
  if (open_sid) return handedOver({ ...progress, campaign_sid: open_sid });
  if (sids.length > 0)
    return { outcome: 'busy', retry_after_seconds: 60, detail: 'the earlier campaign is being deleted' };
  const response = await host.post(path, {
    BrandRegistrationSid: String(request.brand?.brand_sid),
    ...campaignFields(request),
  });
  const refusal = refusalOf(response, progress);
  if (refusal) return refusal;
  const new_sid = createdSid(response, 201);
  return new_sid.outcome === 'ok' ? handedOver({ ...progress, campaign_sid: new_sid.sid }) : new_sid;
}

/** Twilio refuses a form that it cannot accept at once, and nothing is registered. */
function refusalOf(
  response: Awaited<ReturnType<TwilioHostApi['post']>>,
  progress: Progress,
): AdvanceResult | null {
  if (response.outcome !== 'response' || response.status !== 400) return null;
  const { code, detail } = errorIn(response.json);
  const named = detail.match(/[A-Z]\w+/g)?.map(campaignKey) ?? [];
  const key = named.find((each) => each !== null) ?? null;
  return { outcome: 'incomplete', progress, problems: [problem(key, code, detail || 'Twilio refused it.')] };
}

/** Not every account may edit, and not every field can be edited: then the campaign is replaced. */
async function edit(
  host: TwilioHostApi,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const now = checked(await host.get(campaignPath(progress)), 200, 404);
  if (now.outcome !== 'ok') return now;
  if (now.status === 404) return { outcome: 'step', progress: { ...progress, campaign_sid: null } };
  // Another state means that an earlier edit has arrived.
  if (textField(now.json, 'campaign_status') !== 'FAILED') return handedOver(progress);
  if (!canEdit(request.problems)) return remove(host, progress);
  const done = checked(await host.post(campaignPath(progress), editFields(request)), 200, 202);
  if (done.outcome === 'ok') return handedOver(progress);
  return done.outcome === 'refused' ? { outcome: 'step', progress: { ...progress, replace: true } } : done;
}

async function remove(host: TwilioHostApi, progress: Progress): Promise<AdvanceResult> {
  const deleted = checked(await host.delete(campaignPath(progress)), 204, 404);
  if (deleted.outcome !== 'ok') return deleted;
  const deleted_sid = progress.campaign_sid ?? null;
  return { outcome: 'step', progress: { ...progress, campaign_sid: null, deleted_sid, replace: false } };
}

/** The status of a campaign in our words; used for numbers that are in its service as well. */
export function campaignState(json: unknown): StateResult {
  const status = textField(json, 'campaign_status') ?? '';
  switch (status) {
    case 'PENDING':
    case 'IN_PROGRESS':
      return known('in_review');
    case 'VERIFIED':
      return known('approved');
    case 'FAILED':
      return known('rejected', { problems: failuresOf(json) });
    default:
      return { outcome: 'unclear', word: status };
  }
}

function failuresOf(json: unknown) {
  const problems = listField(json, 'errors').flatMap((error) => {
    const code = textField(error, 'error_code') ?? 'failed';
    const message = textField(error, 'description') ?? `The networks refused the campaign (error ${code}).`;
    const keys = listField(error, 'fields').map((name) => campaignKey(String(name)));
    return (keys.length > 0 ? [...new Set(keys)] : [null]).map((key) => problem(key, code, message));
  });
  const unexplained = problem(null, 'failed', 'The networks refused the campaign without a reason.');
  return problems.length > 0 ? problems : [unexplained];
}

async function stateOf(host: TwilioHostApi, progress: Progress): Promise<StateResult> {
  if (!progress.campaign_sid || !progress.service_sid) return { outcome: 'absent' };
  const answer = checked(await host.get(campaignPath(progress)), 200, 404);
  if (answer.outcome !== 'ok') return answer;
  return answer.status === 404 ? { outcome: 'absent' } : campaignState(answer.json);
}

/** The service goes with its campaign: no number has joined it before the approval. */
async function cancel(
  host: TwilioHostApi,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  if (progress.campaign_sid) {
    const deleted = checked(await host.delete(campaignPath(progress)), 204, 404);
    if (deleted.outcome !== 'ok') return deleted;
  }
  if (progress.service_sid && !progress.adopted) {
    const deleted = checked(await host.delete(`/v1/Services/${String(progress.service_sid)}`), 204, 404);
    if (deleted.outcome !== 'ok') return deleted;
  }
  return { outcome: 'done' };
}

/** By the id of the campaign (QE…) or of its messaging service (MG…). */
async function adopt(host: TwilioHostApi, sid: string): ReturnType<KindRegistration['adopt']> {
  if (isSid('MG', sid)) return adoptIn(host, sid, null);
  if (!isSid('QE', sid)) return { outcome: 'absent' };
  const services = await listAll(host, '/v1/Services', 'services');
  if (services.outcome !== 'ok') return services;
  for (const service of services.items) {
    const service_sid = textField(service, 'sid');
    if (!service_sid) continue;
    const adopted = await adoptIn(host, service_sid, sid);
    if (adopted.outcome !== 'absent') return adopted;
  }
  return { outcome: 'absent' };
}

async function adoptIn(
  host: TwilioHostApi,
  service_sid: string,
  wanted: string | null,
): ReturnType<KindRegistration['adopt']> {
  const answer = checked(await host.get(listPath(service_sid), { PageSize: '50' }), 200, 404);
  if (answer.outcome !== 'ok') return answer;
  const sids = listField(answer.json, 'compliance').map((each) => textField(each, 'sid'));
  const campaign_sid = sids.find((sid) => sid !== null && (wanted === null || sid === wanted));
  if (!campaign_sid) return { outcome: 'absent' };
  const progress = { service_sid, campaign_sid, adopted: true };
  return { outcome: 'found', progress, service_reference: service_sid };
}
