// Toll-free verifications at Twilio: one request for one number, which can be edited after a rejection.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { field, listField, textField } from '../../carrier-http.ts';
import type { AdvanceResult, Progress, RegistrationRequest, StateResult } from '../../registration.ts';
import { errorIn, type TwilioHostApi } from '../api.ts';
import { checked, createdSid, findInList, isSid } from '../responses.ts';
import { problem } from './form-items.ts';
import type { KindRegistration, RegistrationDeps } from './kind.ts';
import { known } from './state.ts';
import { tollFreeFields, tollFreeForm, tollFreeProblems } from './toll-free-form.ts';

export const toll_free_path = '/v1/Tollfree/Verifications';

export const tollFreeRegistration = (deps: RegistrationDeps): KindRegistration => {
  const host = deps.api.host('messaging');
  return {
    requirements: async ({ use_case }) => ({
      outcome: 'found',
      set: {
        subject_types: ['business'],
        review_days: { min: 3, max: 5 },
        fee_cents: null,
        requirements: tollFreeForm(use_case),
      },
    }),
    advance: (request, progress) => advance(deps, host, request, progress),
    state: (progress) => stateOf(host, progress),
    cancel: (progress) => cancel(host, progress),
    adopt: (sid) => adopt(host, sid),
  };
};

const handedOver = (progress: Progress, sid: string): AdvanceResult => ({
  outcome: 'handed_over',
  progress: { ...progress, verification_sid: sid },
  provider_verification_id: sid,
  address_reference: null,
  service_reference: null,
});

async function advance(
  deps: RegistrationDeps,
  host: TwilioHostApi,
  request: RegistrationRequest,
  stored: Progress,
): Promise<AdvanceResult> {
  const problems = tollFreeProblems(request);
  if (problems.length > 0) return { outcome: 'incomplete', progress: stored, problems };
  const fields = tollFreeFields(request, deps.compliance_email);
  if (typeof stored.verification_sid === 'string')
    return edit(host, request, stored, stored.verification_sid, fields);
  return create(host, request, stored, fields);
}

/** A replaced request gets a reference of its own, so that it is told apart from the one before. */
const referenceOf = (request: RegistrationRequest, { replaced }: Progress) =>
  typeof replaced === 'number' && replaced > 0 ? `${request.reference}.${replaced}` : request.reference;

async function create(
  host: TwilioHostApi,
  request: RegistrationRequest,
  progress: Progress,
  fields: ReturnType<typeof tollFreeFields>,
): Promise<AdvanceResult> {
  if (!request.number)
    return { outcome: 'refused', code: 'number_missing', detail: 'The number is not active any more.' };
  const reference = referenceOf(request, progress);
  const isOurs = (each: unknown) => textField(each, 'external_reference_id') === reference;
  const page_item = await findInList(host, toll_free_path, 'verifications', isOurs, {
    ExternalReferenceId: reference,
  });
  if (page_item.outcome !== 'ok') return page_item;
  const existing = textField(page_item.item, 'sid');
  if (existing) return handedOver(progress, existing);
  const response = await host.post(toll_free_path, {
    ...fields,
    TollfreePhoneNumberSid: request.number.provider_number_id,
    ExternalReferenceId: reference,
  });
  if (response.outcome === 'response' && response.status === 400) {
    const { code, detail } = errorIn(response.json);
    return {
      outcome: 'incomplete',
      progress,
      problems: [problem(null, code, detail || 'Twilio refused it.')],
    };
  }
  const new_sid = createdSid(response, 201);
  return new_sid.outcome === 'ok' ? handedOver(progress, new_sid.sid) : new_sid;
}

/** After the time for corrections, or for some reasons, Twilio takes only a new request. */
async function edit(
  host: TwilioHostApi,
  request: RegistrationRequest,
  progress: Progress,
  sid: string,
  fields: ReturnType<typeof tollFreeFields>,
): Promise<AdvanceResult> {
  const now = checked(await host.get(`${toll_free_path}/${sid}`), 200, 404);
  if (now.outcome !== 'ok') return now;
  const status = now.status === 404 ? null : textField(now.json, 'status');
  // Another state means that an earlier edit has arrived.
  if (status !== null && status !== 'TWILIO_REJECTED') return handedOver(progress, sid);
  const replace = { ...progress, verification_sid: null, replaced: Number(progress.replaced ?? 0) + 1 };
  if (status === null || field(now.json, 'edit_allowed') === false)
    return { outcome: 'step', progress: replace };
  const done = checked(
    await host.post(`${toll_free_path}/${sid}`, {
      ...fields,
      EditReason: `Corrected after the rejection, attempt ${request.attempt}.`,
    }),
    200,
    202,
  );
  if (done.outcome === 'ok') return handedOver(progress, sid);
  return done.outcome === 'refused' ? { outcome: 'step', progress: replace } : done;
}

const dateOf = (text: string | null): Date | null => {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at);
};

function rejectionOf(json: unknown): VerificationProblem[] {
  const problems = listField(json, 'rejection_reasons').map((reason) =>
    problem(
      null,
      textField(reason, 'code') ?? 'rejected',
      textField(reason, 'reason') ?? 'Twilio rejected it without a reason.',
    ),
  );
  const code = textField(json, 'error_code') ?? 'rejected';
  const reason = textField(json, 'rejection_reason') ?? 'Twilio rejected it without a reason.';
  return problems.length > 0 ? problems : [problem(null, code, reason)];
}

/** The status of a verification in our words; used for numbers without a verification of ours as well. */
export function tollFreeState(json: unknown): StateResult {
  const status = textField(json, 'status') ?? '';
  switch (status) {
    case 'PENDING_REVIEW':
      return known('submitted');
    case 'IN_REVIEW':
      return known('in_review');
    case 'TWILIO_APPROVED':
      return known('approved');
    case 'TWILIO_REJECTED':
      return known('rejected', {
        problems: rejectionOf(json),
        editable_until:
          field(json, 'edit_allowed') === false ? null : dateOf(textField(json, 'edit_expiration')),
      });
    default:
      return { outcome: 'unclear', word: status };
  }
}

async function stateOf(host: TwilioHostApi, progress: Progress): Promise<StateResult> {
  if (!progress.verification_sid) return { outcome: 'absent' };
  const answer = checked(await host.get(`${toll_free_path}/${String(progress.verification_sid)}`), 200, 404);
  if (answer.outcome !== 'ok') return answer;
  return answer.status === 404 ? { outcome: 'absent' } : tollFreeState(answer.json);
}

async function cancel(
  host: TwilioHostApi,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  if (!progress.verification_sid) return { outcome: 'done' };
  const response = await host.delete(`${toll_free_path}/${String(progress.verification_sid)}`);
  const deleted = checked(response, 204, 404);
  return deleted.outcome === 'ok' ? { outcome: 'done' } : deleted;
}

async function adopt(host: TwilioHostApi, sid: string): ReturnType<KindRegistration['adopt']> {
  if (!isSid('HH', sid)) return { outcome: 'absent' };
  const answer = checked(await host.get(`${toll_free_path}/${sid}`), 200, 404);
  if (answer.outcome !== 'ok') return answer;
  if (answer.status === 404) return { outcome: 'absent' };
  return { outcome: 'found', progress: { verification_sid: sid }, service_reference: null };
}
