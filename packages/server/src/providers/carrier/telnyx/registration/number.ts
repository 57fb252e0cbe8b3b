// Verification of who uses numbers of a country: a requirement group of Telnyx with answers, addresses and documents.

import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { PostalAddress } from '@parley/contract/channels/numbers/verifications';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import type {
  AdvanceResult,
  Progress,
  RegistrationDocument,
  RegistrationRequest,
  StateResult,
} from '../../registration.ts';
import { errorIn, readOne, refused, segment } from '../api.ts';
import { comments, textOf } from './comments.ts';
import {
  beginAttempt,
  idIn,
  type KindRegistration,
  notTaken,
  quiet,
  type RegistrationDeps,
  withReason,
} from './kind.ts';
import { regulatoryRequirements } from './regulatory.ts';
import { group_states } from './states.ts';

/** Telnyx deletes a document that is not linked after 30 minutes. */
const unlinked_document_ms = 25 * 60_000;

export const numberRegistration = (deps: RegistrationDeps): KindRegistration => ({
  async requirements(query) {
    const known = await regulatoryRequirements(deps.api, query);
    if (known.outcome === 'refused') {
      const detail = `The carrier does not say what ${query.number_type} numbers of ${query.country_code} need.`;
      return { outcome: 'not_supported', detail };
    }
    if (known.outcome !== 'found') return known;
    const { requirements } = known;
    if (requirements.length === 0) return { outcome: 'not_needed' };
    // Telnyx does not tell persons from companies.
    const subject_types: ('individual' | 'business')[] = ['individual', 'business'];
    return { outcome: 'found', set: { subject_types, review_days: null, fee_cents: null, requirements } };
  },

  advance: (request, progress, { may_be_done }) => advance(deps, request, progress, may_be_done),
  state: (progress) => state(deps, progress),
  cancel: (progress) => cancel(deps, progress),

  async adopt(id) {
    const group = await readOne(deps.api.get(groupPath(id)));
    return group.outcome === 'found'
      ? { outcome: 'found', progress: { group: id }, service_reference: null }
      : group;
  },
});

const groupPath = (id: string) => `/requirement_groups/${segment(id)}`;
/** Rows of an earlier release have only the id. */
const groupIn = (progress: Progress) => idIn(progress, 'group') ?? idIn(progress, 'id');

async function advance(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  before: Progress,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  const begun = beginAttempt(request, before);
  if (begun) return begun;
  const is_linked = before.linked === request.attempt;
  if (is_linked) return submit(deps, before, may_be_done);
  const progress = withoutLostDocuments(deps, before);
  for (const { key, input } of request.requirements) {
    const address = input === 'address' ? addressOf(request, key) : null;
    if (address && progress[`addressed.${key}`] !== request.attempt)
      return createAddress(deps, request, progress, key, address);
    const document = request.documents.findLast((each) => each.requirement === key);
    if (document && progress[`uploaded.${key}`] !== document.id)
      return uploadDocument(deps, request, progress, document);
  }
  return linkGroup(deps, request, progress);
}

/** The group was not made in time, so the documents of this attempt must be uploaded again. */
function withoutLostDocuments({ now_ms }: RegistrationDeps, progress: Progress): Progress {
  const uploaded_at = Number(progress.uploaded_at ?? 0);
  if (uploaded_at === 0 || now_ms() - uploaded_at < unlinked_document_ms) return progress;
  return { ...withoutPrefix(progress, 'uploaded.'), uploaded_at: 0 };
}

const withoutPrefix = (progress: Progress, prefix: string): Progress =>
  Object.fromEntries(Object.entries(progress).filter(([name]) => !name.startsWith(prefix)));

const addressOf = ({ answers, address }: RegistrationRequest, key: string): PostalAddress | null => {
  const answer = answers[key];
  return typeof answer === 'object' && !Array.isArray(answer) ? answer : address;
};

/** Cannot be found again after a lost answer; a second address does no harm. */
async function createAddress(
  { api }: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  key: string,
  address: PostalAddress,
): Promise<AdvanceResult> {
  const response = await api.post('/addresses', {
    ...namesOf(request),
    street_address: address.street,
    locality: address.city,
    ...(address.region && { administrative_area: address.region }),
    postal_code: address.postal_code,
    country_code: address.country_code,
    customer_reference: request.reference,
    address_book: false,
    // The check is for emergency calls and knows only addresses of the US and Canada.
    validate_address: false,
  });
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, () => key);
  const id = textField(response.json, 'data', 'id');
  if (!id) return { outcome: 'lost', detail: 'an address without an id' };
  return {
    outcome: 'step',
    progress: { ...progress, [`value.${key}`]: id, [`addressed.${key}`]: request.attempt },
  };
}

/** The fields are required, but only a company or a person has to be named. */
function namesOf({ subject_type, subject_name }: RegistrationRequest) {
  if (subject_type === 'business') return { business_name: subject_name, first_name: '', last_name: '' };
  const [, first_name = '', last_name = subject_name] = /^(.*)\s+(\S+)$/.exec(subject_name.trim()) ?? [];
  return { business_name: '', first_name, last_name };
}

const endings: Readonly<Record<string, string | undefined>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
};

/** Cannot be found again after a lost answer; Telnyx deletes a second one because it is never linked. */
async function uploadDocument(
  { api, now_ms }: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
  document: RegistrationDocument,
): Promise<AdvanceResult> {
  const { id: document_id, requirement, content_type } = document;
  const response = await api.upload(
    '/documents',
    { customer_reference: request.reference },
    {
      field: 'file',
      filename: `document.${endings[content_type] ?? 'bin'}`,
      content_type,
      content: await document.read(),
    },
  );
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return notTaken(response, progress, () => requirement);
  const id = textField(response.json, 'data', 'id');
  if (!id) return { outcome: 'lost', detail: 'a document without an id' };
  const uploaded = { [`value.${requirement}`]: id, [`uploaded.${requirement}`]: document_id };
  const uploaded_at = Number(progress.uploaded_at ?? 0) || now_ms();
  return { outcome: 'step', progress: { ...progress, ...uploaded, uploaded_at } };
}

/** Creates the group, or writes the values into the one that exists: the same request may be repeated. */
async function linkGroup(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  progress: Progress,
): Promise<AdvanceResult> {
  const { api } = deps;
  const known = groupIn(progress) ?? (await findGroup(deps, request.reference));
  if (known !== null && typeof known !== 'string') return known;
  const values = request.requirements.flatMap(({ key }) => {
    const field_value = idIn(progress, `value.${key}`) ?? textValue(request, key);
    return field_value === null ? [] : [{ requirement_id: key, field_value }];
  });
  // Comments of earlier attempts are no reasons for the next decision.
  const seen = known === null ? null : await comments(api, 'requirement_group', known);
  if (seen && seen.outcome !== 'found') return seen;
  const response = known
    ? await api.patch(groupPath(known), { regulatory_requirements: values })
    : await api.post('/requirement_groups', {
        country_code: request.country_code,
        phone_number_type: request.number_type,
        action: 'ordering',
        customer_reference: request.reference,
        regulatory_requirements: values,
      });
  if (response.outcome !== 'response') return response;
  if (response.status >= 300)
    return notTaken(response, correctable(progress), (path) => keyOfValue(path, values));
  const id = textField(response.json, 'id');
  if (!id) return { outcome: 'lost', detail: 'a requirement group without an id' };
  const seen_comments = seen ? seen.comments.map((each) => each.id).slice(-100) : [];
  return {
    outcome: 'step',
    progress: { ...progress, group: id, linked: request.attempt, uploaded_at: 0, seen_comments },
  };
}

const textValue = ({ answers }: RegistrationRequest, key: string): string | null => {
  const answer = answers[key];
  if (answer === undefined || (typeof answer === 'object' && !Array.isArray(answer))) return null;
  return Array.isArray(answer) ? answer.join(', ') : String(answer);
};

/** `/regulatory_requirements/2/field_value` names the third value. */
function keyOfValue(path: string[], values: { requirement_id: string }[]): string | null {
  const named = values.find(({ requirement_id }) => path.includes(requirement_id));
  const index = path.indexOf('regulatory_requirements');
  return (named ?? (index === -1 ? undefined : values[Number(path[index + 1])]))?.requirement_id ?? null;
}

/** After a correction in the same attempt the addresses and values are sent again. */
const correctable = (progress: Progress): Progress => {
  const { linked: _, ...rest } = withoutPrefix(progress, 'addressed.');
  return rest;
};

/** The group with our reference, null if there is none. */
async function findGroup(
  { api }: RegistrationDeps,
  reference: string,
): Promise<string | null | CarrierFailure> {
  const response = await api.get('/requirement_groups', [['filter[customer_reference]', reference]]);
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  // This list is a bare array.
  const groups = Array.isArray(response.json)
    ? (response.json as unknown[])
    : listField(response.json, 'data');
  const ours = groups.find((each) => textField(each, 'customer_reference') === reference);
  return textField(ours, 'id');
}

async function submit(
  { api }: RegistrationDeps,
  progress: Progress,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  const group = groupIn(progress)!;
  const done: AdvanceResult = {
    outcome: 'handed_over',
    progress,
    provider_verification_id: group,
    address_reference: null,
    service_reference: null,
  };
  if (may_be_done) {
    const now = await readOne(api.get(groupPath(group)));
    if (now.outcome !== 'found' && now.outcome !== 'absent') return now;
    const status = now.outcome === 'found' ? textField(now.json, 'status') : null;
    if (status === 'pending-approval' || status === 'approved') return done;
  }
  const response = await api.post(`${groupPath(group)}/submit_for_approval`);
  if (response.outcome !== 'response') return response;
  return response.status < 300 ? done : notTaken(response, correctable(progress), () => null);
}

async function state({ api }: RegistrationDeps, progress: Progress): Promise<StateResult> {
  const id = groupIn(progress);
  if (id === null) return { outcome: 'absent' };
  const group = await readOne(api.get(groupPath(id)));
  if (group.outcome !== 'found') return group;
  const word = textField(group.json, 'status') ?? '';
  const meaning = group_states[word];
  if (!meaning) return { outcome: 'unclear', word };
  const items = listField(group.json, 'regulatory_requirements');
  if (meaning.state === 'approved')
    return { outcome: 'known', ...quiet, ...meaning, expires_at: firstEnd(items) };
  if (meaning.state !== 'rejected') return { outcome: 'known', ...quiet, ...meaning };
  const said = await comments(api, 'requirement_group', id);
  if (said.outcome !== 'found') return said;
  const seen = new Set((progress.seen_comments as readonly string[] | undefined) ?? []);
  const texts = said.comments.filter((each) => !seen.has(each.id)).map(textOf);
  return { outcome: 'known', ...quiet, ...meaning, problems: reasons(word, items, texts) };
}

function firstEnd(items: unknown[]): Date | null {
  const ends = items.map((each) => Date.parse(textField(each, 'expires_at') ?? '')).filter((end) => end > 0);
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

/** A comment belongs to the group; it is about a single requirement only if just one was declined. */
function reasons(word: string, items: unknown[], texts: string[]): VerificationProblem[] {
  const wrong = items.filter((each) => ['declined', 'expired'].includes(textField(each, 'status') ?? ''));
  const [only, ...more] = wrong.map((each) => textField(each, 'requirement_id'));
  if (only !== undefined && more.length === 0 && texts.length > 0)
    return [{ key: only, code: word, message: texts.join(' ').slice(0, 1000) }];
  return withReason(
    [
      ...wrong.map((each) => ({
        key: textField(each, 'requirement_id'),
        code: textField(each, 'status') ?? word,
        message:
          textField(each, 'status') === 'expired'
            ? 'The approval of this item has expired.'
            : 'The carrier declined this item.',
      })),
      ...texts.map((message) => ({ key: null, code: word, message })),
    ],
    word,
  );
}

/** Approved groups stay, because numbers use them. */
async function cancel(
  deps: RegistrationDeps,
  progress: Progress,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const { api } = deps;
  const reference = idIn(progress, 'reference');
  const id = groupIn(progress) ?? (reference === null ? null : await findGroup(deps, reference));
  if (id !== null && typeof id !== 'string') return id;
  const group = id === null ? null : await readOne(api.get(groupPath(id)));
  if (group && group.outcome !== 'found' && group.outcome !== 'absent') return group;
  if (group?.outcome === 'found' && textField(group.json, 'status') === 'approved')
    return { outcome: 'done' };
  const created = Object.keys(progress).flatMap((name) => {
    const [, made, key] = /^(addressed|uploaded)\.(.*)$/.exec(name) ?? [];
    const value = key === undefined ? null : idIn(progress, `value.${key}`);
    return value === null ? [] : [`/${made === 'addressed' ? 'addresses' : 'documents'}/${segment(value)}`];
  });
  for (const path of [...(group?.outcome === 'found' ? [groupPath(id!)] : []), ...created]) {
    const response = await api.delete(path);
    if (response.outcome !== 'response') return response;
    // What is in use elsewhere, or gone, stays as it is; only the group itself must not stay.
    const failed = response.status >= 300 && response.status !== 404;
    if (failed && path.startsWith('/requirement_groups'))
      return { outcome: 'refused', ...errorIn(response.json) };
  }
  return { outcome: 'done' };
}
