// What the kinds of registrations with Telnyx have in common: their shape, their progress, and the problems Telnyx reports.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { type CarrierResponse, field, listField, textField } from '../../carrier-http.ts';
import type {
  AdvanceResult,
  Progress,
  RegistrationPort,
  RegistrationRequest,
  StateResult,
} from '../../registration.ts';
import { readOne, refused, type TelnyxApi } from '../api.ts';

export type RegistrationDeps = {
  api: TelnyxApi;
  /** Our URL for Telnyx's webhooks. */
  callbackUrl(): string;
  now_ms(): number;
};

/** The registration port for one kind. */
export type KindRegistration = {
  requirements: RegistrationPort['requirements'];
  advance: RegistrationPort['advance'];
  state(progress: Progress): Promise<StateResult>;
  cancel(progress: Progress): Promise<{ outcome: 'done' } | CarrierFailure>;
  adopt(provider_verification_id: string): ReturnType<RegistrationPort['adopt']>;
};

export const idIn = (progress: Progress, name: string): string | null => {
  const value = progress[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/**
 * The first step of an attempt stores our reference, so that a cancellation finds what a lost answer has created. It sends nothing.
 * Null when the attempt has begun.
 */
export const beginAttempt = (
  { attempt, reference }: RegistrationRequest,
  progress: Progress,
  more: Progress = {},
): AdvanceResult | null =>
  progress.attempt === attempt
    ? null
    : { outcome: 'step', progress: { ...progress, attempt, reference, ...more } };

/** Telnyx has everything, under this id. */
export const handedOver = (progress: Progress, id: string): AdvanceResult => ({
  outcome: 'handed_over',
  progress,
  provider_verification_id: id,
  address_reference: null,
  service_reference: null,
});

/** Ends what was registered; `found` may have been created by a request whose answer was lost. */
export async function cancelFound(
  api: TelnyxApi,
  found: { outcome: 'known'; id: string | null } | CarrierFailure,
  pathOf: (id: string) => string,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  if (found.outcome !== 'known') return found;
  if (found.id === null) return { outcome: 'done' };
  const deleted = await readOne(api.delete(pathOf(found.id)));
  return deleted.outcome === 'found' || deleted.outcome === 'absent' ? { outcome: 'done' } : deleted;
}

/** Telnyx stores the URL with the object, so it is also the key by which we find a brand or a toll-free request again. */
export const webhookFor = ({ callbackUrl }: RegistrationDeps, reference: string): string =>
  `${callbackUrl()}?registration=${encodeURIComponent(reference)}`;

/** The host may have changed since. */
export const isOurWebhook = (url: string | null, reference: string): boolean =>
  url?.endsWith(`?registration=${encodeURIComponent(reference)}`) ?? false;

type Answered = Extract<CarrierResponse, { outcome: 'response' }>;
/** Our keys of requirements by Telnyx's names of fields. */
export type FieldKeys = Readonly<Record<string, string>>;

/** Telnyx refused the input, so nothing was created; other refusals end the attempt. */
export const notTaken = (
  { status, json }: Answered,
  progress: Progress,
  keyOf: (path: string[]) => string | null,
): AdvanceResult =>
  status === 400 || status === 422
    ? { outcome: 'incomplete', progress, problems: inputProblems(json, keyOf) }
    : refused(status, json);

export const keysBy =
  (keys: FieldKeys) =>
  (path: string[]): string | null =>
    path.map((part) => keys[part]).findLast((key) => key !== undefined) ?? null;

/** Numbers and toll-free answer with `errors`, 10DLC also with `detail` of its input check. */
function inputProblems(json: unknown, keyOf: (path: string[]) => string | null): VerificationProblem[] {
  const checked = listField(json, 'detail').map((each) => ({
    key: keyOf(listField(each, 'loc').map(String)),
    code: textField(each, 'type') ?? 'invalid',
    message: textField(each, 'msg') ?? 'This is not valid.',
  }));
  const errors = listField(json, 'errors').map((each) => ({
    key: keyOf(
      (textField(each, 'source', 'pointer') ?? textField(each, 'source', 'parameter') ?? '').split('/'),
    ),
    code: textField(each, 'code') ?? 'invalid',
    message: textField(each, 'detail') ?? textField(each, 'title') ?? 'This is not valid.',
  }));
  const problems = [...checked, ...errors].map(shortened);
  return problems.length > 0
    ? problems
    : [{ key: null, code: 'invalid', message: 'The carrier refused the input without a reason.' }];
}

const shortened = ({ key, code, message }: VerificationProblem): VerificationProblem => ({
  key,
  code: code.slice(0, 100),
  message: message.slice(0, 1000),
});

/** `failureReasons` is published as a text; webhooks have a list of fields and descriptions. Both are read. */
export function reasonsIn(value: unknown, keys: FieldKeys, code: string): VerificationProblem[] {
  if (Array.isArray(value)) return value.flatMap((each) => reasonsIn(each, keys, code)).slice(0, 20);
  if (typeof value === 'string' && value.trim() !== '')
    return [shortened({ key: null, code, message: value.trim() })];
  const message = textField(value, 'description') ?? textField(value, 'message');
  if (message === null) return [];
  const fields = listField(value, 'fields').map(String);
  const key = fields.map((name) => keys[name]).find((each) => each !== undefined) ?? null;
  return [shortened({ key, code: textField(value, 'id') ?? code, message })];
}

export const withReason = (problems: VerificationProblem[], code: string): VerificationProblem[] =>
  problems.length > 0 ? problems : [{ key: null, code, message: `The carrier gave no reason (${code}).` }];

export const quiet = {
  problems: [],
  waiting_for: null,
  editable_until: null,
  expires_at: null,
  ready_to_advance: false,
};

const old_decision_ms = 24 * 3_600_000;

/**
 * After a correction Telnyx may report the old decision until it has decided again. `mark` is the time of the last change at
 * Telnyx when it was corrected: while that has not changed, the decision is the old one, for a day at most.
 */
export const isOldDecision = (progress: Progress, mark: string | null, now_ms: number): boolean =>
  mark !== null &&
  progress.corrected_mark === mark &&
  now_ms - Number(progress.corrected_at ?? 0) < old_decision_ms;

export const corrected = (mark: string | null, now_ms: number): Progress => ({
  corrected_mark: mark,
  corrected_at: now_ms,
});

/** Larger pages could exceed the limit of a response. */
const page_size = 100;
const max_pages = 50;

/** The records of a 10DLC list, over all its pages. */
export async function allRecords(
  api: TelnyxApi,
  path: string,
  query: [string, string][],
): Promise<{ outcome: 'found'; records: unknown[] } | CarrierFailure> {
  const records: unknown[] = [];
  for (let page = 1; page <= max_pages; page++) {
    const response = await api.get(path, [
      ...query,
      ['page', String(page)],
      ['recordsPerPage', String(page_size)],
    ]);
    if (response.outcome !== 'response') return response;
    if (response.status === 404) break;
    if (response.status !== 200) return refused(response.status, response.json);
    const listed = listField(response.json, 'records');
    records.push(...listed);
    if (listed.length < page_size || records.length >= Number(field(response.json, 'totalRecords') ?? 0))
      break;
  }
  return { outcome: 'found', records };
}
