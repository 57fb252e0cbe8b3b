// Number verifications at Twilio: regulations, bundles and their decision.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import type { Progress, RegistrationState, RequirementResult, StateResult } from '../../registration.ts';
import { refused, type TwilioApi } from '../api.ts';
import { number_lists } from '../translate.ts';
import type { KindRegistration, RegistrationDeps } from './kind.ts';
import { documentProblem } from './number-problems.ts';
import { type NumberProgress, readProgress, storedProgress } from './number-progress.ts';
import { nextStep } from './number-steps.ts';
import { address_form, compliance_path, formOf, type RegulationQuery } from './regulations.ts';

const no_email = 'Set PARLEY_COMPLIANCE_EMAIL: Twilio wants an address to write to about verifications.';
const is_bundle = /^BU[0-9a-fA-F]{32}$/;
const is_address = /^AD[0-9a-fA-F]{32}$/;

export const numberRegistration = (deps: RegistrationDeps): KindRegistration => ({
  requirements: (query) => requirements(deps, query),

  async advance(request, progress, { may_be_done }) {
    const { compliance_email, regulations } = deps;
    // The operator can correct this; the submission goes on then.
    if (compliance_email === null) return { outcome: 'busy', retry_after_seconds: 60, detail: no_email };
    const found = await regulations.known(request);
    // Nothing was changed yet, so a lost answer is no doubt about the step.
    if (found.outcome === 'lost') return { outcome: 'busy', retry_after_seconds: 5, detail: found.detail };
    if (found.outcome !== 'found') return found;
    const regulation = found.regulations.find(({ subject_type }) => subject_type === request.subject_type);
    if (!regulation && found.regulations.length > 0)
      return {
        outcome: 'refused',
        code: 'requirements_changed',
        detail: subjectDetail(request.subject_type),
      };
    return nextStep({
      ...deps,
      compliance_email,
      request,
      regulation: regulation ?? null,
      progress: readProgress(progress),
      may_be_done,
    });
  },

  state: (progress) => state(deps.api, readProgress(progress)),
  cancel: (progress) => cancel(deps.api, readProgress(progress)),
  adopt: (id) => adopt(deps.api, id),
});

const subjectDetail = (subject_type: string) =>
  `Twilio has no rules for this country and type of number with subject_type ${subject_type}: use the other one.`;

async function requirements(
  { api, compliance_email, regulations }: RegistrationDeps,
  query: RegulationQuery & { subject_type: 'individual' | 'business' },
): Promise<RequirementResult> {
  if (compliance_email === null) return { outcome: 'not_supported', detail: no_email };
  const found = await regulations.current(query);
  if (found.outcome !== 'found') return found;
  const common = { review_days: null, fee_cents: null };
  if (found.regulations.length === 0) {
    const needed = await needsAddress(api, query);
    if (typeof needed !== 'boolean') return needed;
    if (!needed) return { outcome: 'not_needed' };
    const subject_types = ['individual' as const, 'business' as const];
    return { outcome: 'found', set: { ...common, subject_types, requirements: address_form } };
  }
  const regulation = found.regulations.find(({ subject_type }) => subject_type === query.subject_type);
  if (!regulation) return { outcome: 'not_supported', detail: subjectDetail(query.subject_type) };
  const subject_types = [...new Set(found.regulations.map(({ subject_type }) => subject_type))];
  return { outcome: 'found', set: { ...common, subject_types, requirements: formOf(regulation) } };
}

/** Some numbers need an address and no bundle. Only the numbers on sale say so. */
async function needsAddress(api: TwilioApi, query: RegulationQuery): Promise<boolean | CarrierFailure> {
  const list = number_lists[query.number_type];
  const response = await api.get(`/AvailablePhoneNumbers/${query.country_code}/${list}.json`, {
    PageSize: '1',
  });
  if (response.outcome !== 'response') return response;
  if (response.status === 404) return false;
  if (response.status !== 200) return refused(response.status, response.json);
  const [number] = listField(response.json, 'available_phone_numbers');
  return (textField(number, 'address_requirements') ?? 'none') !== 'none';
}

// ---- the decision

const quiet: Omit<RegistrationState, 'state'> = {
  problems: [],
  waiting_for: null,
  editable_until: null,
  expires_at: null,
  ready_to_advance: false,
};

async function state(api: TwilioApi, progress: NumberProgress): Promise<StateResult> {
  if (!progress.bundle) return addressState(api, progress);
  const response = await api.host('numbers').get(`${compliance_path}/Bundles/${progress.bundle}`);
  if (response.outcome !== 'response') return response;
  if (response.status === 404) return { outcome: 'absent' };
  if (response.status !== 200) return refused(response.status, response.json);
  const until = textField(response.json, 'valid_until');
  const expires_at = until && !Number.isNaN(Date.parse(until)) ? new Date(until) : null;
  const status = textField(response.json, 'status') ?? '';
  switch (status) {
    case 'pending-review':
      return { outcome: 'known', ...quiet, state: 'submitted' };
    case 'in-review':
    // Purchases with such a bundle are refused, so it is not an approval.
    case 'provisionally-approved':
      return { outcome: 'known', ...quiet, state: 'in_review' };
    case 'twilio-approved':
      // Purchases could use it now, but it counts as approved after the earlier bundles were renewed.
      if (progress.renews.length > 0)
        return { outcome: 'known', ...quiet, state: 'in_review', ready_to_advance: true };
      return { outcome: 'known', ...quiet, state: 'approved', expires_at };
    case 'twilio-rejected': {
      const reasons = await rejectionOf(api, progress);
      if (!Array.isArray(reasons)) return reasons;
      return { outcome: 'known', ...quiet, state: 'rejected', problems: reasons, expires_at };
    }
    default:
      return { outcome: 'unclear', word: status };
  }
}

/** An address is not reviewed. */
async function addressState(api: TwilioApi, { address }: NumberProgress): Promise<StateResult> {
  if (!address) return { outcome: 'absent' };
  const response = await api.get(`/Addresses/${address}.json`);
  if (response.outcome !== 'response') return response;
  if (response.status === 404) return { outcome: 'absent' };
  if (response.status !== 200) return refused(response.status, response.json);
  return { outcome: 'known', ...quiet, state: 'approved' };
}

async function assignedObjects(api: TwilioApi, bundle: string): Promise<string[] | CarrierFailure> {
  const path = `${compliance_path}/Bundles/${bundle}/ItemAssignments`;
  const response = await api.host('numbers').get(path, { PageSize: '100' });
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  return listField(response.json, 'results').flatMap((each) => textField(each, 'object_sid') ?? []);
}

/** A bundle has no reason of its own; its documents have. */
async function rejectionOf(
  api: TwilioApi,
  { bundle, documents }: NumberProgress,
): Promise<VerificationProblem[] | CarrierFailure> {
  const objects = await assignedObjects(api, bundle!);
  if (!Array.isArray(objects)) return objects;
  const problems: VerificationProblem[] = [];
  for (const sid of objects.filter((each) => each.startsWith('RD'))) {
    const response = await api.host('numbers').get(`${compliance_path}/SupportingDocuments/${sid}`);
    if (response.outcome !== 'response') return response;
    if (response.status === 404) continue;
    if (response.status !== 200) return refused(response.status, response.json);
    const carrier_document = documents.find((each) => each.sid === sid);
    const key = carrier_document?.id === 'address' ? 'address' : carrier_document?.requirement || null;
    const problem = documentProblem(key, response.json);
    if (problem) problems.push(problem);
  }
  const message = 'Twilio rejected the verification and named no document. Its email has the reason.';
  return problems.length > 0 ? problems : [{ key: null, code: 'twilio-rejected', message }];
}

// ---- cancel and adopt

const kept_states = new Set(['twilio-approved', 'provisionally-approved']);

/** Deletes everything that was sent, also the address. A bundle in review cannot be deleted. */
async function cancel(
  api: TwilioApi,
  { bundle, documents, discarded, end_users, address }: NumberProgress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const host = api.host('numbers');
  if (bundle) {
    const path = `${compliance_path}/Bundles/${bundle}`;
    const response = await host.get(path);
    if (response.outcome !== 'response') return response;
    const status = textField(response.json, 'status') ?? '';
    if (kept_states.has(status))
      return { outcome: 'refused', code: status, detail: 'Twilio has approved it.' };
    const deleted = response.status === 404 ? response : await host.delete(path);
    if (deleted.outcome !== 'response') return deleted;
    const is_gone = deleted.status === 204 || deleted.status === 404;
    // A rejected bundle that Twilio wants to keep is not open any more.
    if (!is_gone && status !== 'twilio-rejected') return refused(deleted.status, deleted.json);
  }
  const objects = [
    ...[...documents.map(({ sid }) => sid), ...discarded].map((sid) => `/SupportingDocuments/${sid}`),
    ...end_users.map((sid) => `/EndUsers/${sid}`),
  ];
  // What Twilio keeps for another reason stays there.
  for (const path of objects) {
    const deleted = await host.delete(compliance_path + path);
    if (deleted.outcome !== 'response') return deleted;
  }
  const deleted = address ? await api.delete(`/Addresses/${address}.json`) : null;
  return deleted && deleted.outcome !== 'response' ? deleted : { outcome: 'done' };
}

async function adopt(api: TwilioApi, id: string): ReturnType<KindRegistration['adopt']> {
  const found = (progress: NumberProgress) => ({
    outcome: 'found' as const,
    progress: storedProgress(progress) as Progress,
    service_reference: null,
  });
  if (is_address.test(id)) {
    const response = await api.get(`/Addresses/${id}.json`);
    if (response.outcome !== 'response') return response;
    return response.status === 200 ? found(readProgress({ address: id })) : { outcome: 'absent' };
  }
  if (!is_bundle.test(id)) return { outcome: 'absent' };
  const response = await api.host('numbers').get(`${compliance_path}/Bundles/${id}`);
  if (response.outcome !== 'response') return response;
  if (response.status === 404) return { outcome: 'absent' };
  if (response.status !== 200) return refused(response.status, response.json);
  const objects = await assignedObjects(api, id);
  if (!Array.isArray(objects)) return objects;
  return found({
    ...readProgress({ bundle: id }),
    end_users: objects.filter((sid) => sid.startsWith('IT')),
    documents: objects
      .filter((sid) => sid.startsWith('RD'))
      .map((sid) => ({ requirement: '', attempt: 0, id: sid, sid })),
    assigned: objects,
  });
}
