// The steps of a number verification at Twilio: address, end users, documents, bundle, assignments, evaluation, submission.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { PostalAddress } from '@parley/contract/channels/numbers/verifications';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { type CarrierResponse, listField, misconfigured, textField } from '../../carrier-http.ts';
import type { AdvanceResult, RegistrationDocument, RegistrationRequest } from '../../registration.ts';
import { errorIn, refused } from '../api.ts';
import { evaluationProblems } from './number-problems.ts';
import { type HeldDocument, type NumberProgress, storedProgress, toBeCorrected } from './number-progress.ts';
import { renewalStep, renewedBundles } from './number-renewal.ts';
import type { StepContext } from './number-step.ts';
import { address_field, compliance_path, type Field, keyOf } from './regulations.ts';

/** Null when this step has nothing to do. */
type Step = (context: StepContext) => Promise<AdvanceResult | null>;

const nameOf = ({ reference }: RegistrationRequest) => `parley ${reference}`;

/** Lists may contain more than what was asked for. */
const sidNamed = (objects: unknown[], name: string): string | null =>
  textField(
    objects.find((each) => textField(each, 'friendly_name') === name),
    'sid',
  );

/** Does the first step that is not done yet. */
export async function nextStep(context: StepContext): Promise<AdvanceResult> {
  // The same attempt again: Twilio has approved it, and earlier bundles are to be renewed.
  if (context.progress.submitted_attempt === context.request.attempt)
    return (await renewalStep(context)) ?? handedOver(context, context.progress.bundle!);
  const steps: Step[] = context.regulation
    ? [
        addressStep,
        endUserStep,
        documentStep,
        addressDocumentStep,
        bundleStep,
        unassignStep,
        discardStep,
        assignStep,
        evaluateStep,
        submitStep,
      ]
    : [addressStep, async (each) => handedOver(each, each.progress.address ?? '')];
  for (const step of steps) {
    const result = await step(context);
    if (result) return result;
  }
  throw new Error('the last step has nothing to do');
}

const stepTo = ({ progress }: StepContext, changes: Partial<NumberProgress>): AdvanceResult => ({
  outcome: 'step',
  progress: storedProgress({ ...progress, ...changes }),
});

/** Reading changes nothing, so a lost answer is no doubt about this step. */
const unread = (failure: CarrierFailure): CarrierFailure =>
  failure.outcome === 'lost' ? { outcome: 'busy', retry_after_seconds: 5, detail: failure.detail } : failure;

type Made = { outcome: 'made'; sid: string; json: unknown } | { outcome: 'failed'; result: AdvanceResult };

/** `key`: the requirement to correct when Twilio refuses the data; null where the organization cannot correct it. */
function madeOf({ progress }: StepContext, response: CarrierResponse, key: string | null): Made {
  const failed = (result: AdvanceResult): Made => ({ outcome: 'failed', result });
  if (response.outcome !== 'response') return failed(response);
  const { status, json } = response;
  const sid = textField(json, 'sid');
  if (status < 300 && sid) return { outcome: 'made', sid, json };
  if (status < 300) return failed({ outcome: 'lost', detail: `status ${status} without an id` });
  if (status === 401 || status === 403) return failed(misconfigured(status));
  if (key === null || status === 404) return failed(refused(status, json));
  const { code, detail } = errorIn(json);
  const problems = [{ key, code, message: detail.slice(0, 500) || 'Twilio does not accept this.' }];
  return failed({ outcome: 'incomplete', progress: toBeCorrected(progress), problems });
}

// ---- address and end users

const addressIn = ({ address, answers }: RegistrationRequest): PostalAddress | null => {
  const answer = answers.address;
  if (address) return address;
  return typeof answer === 'object' && !Array.isArray(answer) ? answer : null;
};

async function addressStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, request, progress, may_be_done } = context;
  const address = addressIn(request);
  if (!address || (progress.address && progress.current.includes(progress.address))) return null;
  const form = {
    CustomerName: request.subject_name,
    FriendlyName: nameOf(request),
    Street: address.street,
    City: address.city,
    // Twilio demands a region everywhere; where there is none, the city is the smallest place that is right.
    Region: address.region ?? address.city,
    PostalCode: address.postal_code,
  };
  const done = (sid: string) => stepTo(context, { address: sid, current: [...progress.current, sid] });
  if (progress.address) {
    const changed = madeOf(context, await api.post(`/Addresses/${progress.address}.json`, form), 'address');
    return changed.outcome === 'made' ? done(progress.address) : changed.result;
  }
  if (may_be_done) {
    const listing = await api.get('/Addresses.json', { FriendlyName: nameOf(request) });
    if (listing.outcome !== 'response') return unread(listing);
    if (listing.status !== 200) return refused(listing.status, listing.json);
    const sid = sidNamed(listField(listing.json, 'addresses'), nameOf(request));
    if (sid) return done(sid);
  }
  const response = await api.post('/Addresses.json', { ...form, IsoCountry: address.country_code });
  const new_address = madeOf(context, response, 'address');
  return new_address.outcome === 'made' ? done(new_address.sid) : new_address.result;
}

/** The answer to a field of an end user or document; null where the organization gave none. */
function answerTo({ request }: StepContext, name: string): string | null {
  const key = keyOf(name);
  if (key === 'subject_name') return request.subject_name;
  const answer = request.answers[key] ?? (key === 'registration_number' ? request.registration_number : null);
  if (typeof answer === 'string') return answer;
  return typeof answer === 'boolean' ? String(answer) : null;
}

const attributesOf = (context: StepContext, fields: Field[], given: Readonly<Record<string, string>> = {}) =>
  JSON.stringify(
    Object.fromEntries(
      fields.flatMap(({ name }): [string, string | string[]][] => {
        const { address } = context.progress;
        if (name === address_field) return address ? [[name, [address]]] : [];
        const value = given[name] ?? answerTo(context, name);
        return value === null ? [] : [[name, value]];
      }),
    ),
  );

/** An end user cannot be found again: after a lost answer a second one is created, which does no harm. */
async function endUserStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, request, regulation, progress } = context;
  const { end_users, current } = progress;
  const index = regulation!.end_users.findIndex((_, at) => !current.includes(end_users[at] ?? ''));
  if (index === -1) return null;
  const { type, fields } = regulation!.end_users[index]!;
  const Attributes = attributesOf(context, fields);
  const sid = end_users[index];
  const path = `${compliance_path}/EndUsers${sid ? `/${sid}` : ''}`;
  const form = { FriendlyName: nameOf(request), Attributes, ...(!sid && { Type: type }) };
  const end_user = madeOf(context, await api.host('numbers').post(path, form), 'subject_name');
  if (end_user.outcome !== 'made') return end_user.result;
  return stepTo(context, {
    end_users: Object.assign([...end_users], { [index]: end_user.sid }),
    current: [...current, end_user.sid],
  });
}

// ---- documents

const extensions: Record<string, string> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
};

const fieldsFor = ({ regulation }: StepContext, { requirement, document_type }: RegistrationDocument) =>
  regulation!.documents
    .find(({ key }) => key === requirement)
    ?.accepted.find(({ type }) => type === document_type)?.fields ?? [];

async function documentStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, request, progress } = context;
  const heldFor = ({ id }: RegistrationDocument) => progress.documents.find((each) => each.id === id);
  const document = request.documents.find((each) => !progress.current.includes(heldFor(each)?.sid ?? ''));
  if (!document) return null;
  const held = heldFor(document);
  const path = `${compliance_path}/SupportingDocuments`;
  const Attributes = attributesOf(context, fieldsFor(context, document), document.fields);
  const response = held
    ? await api.host('numbers').post(`${path}/${held.sid}`, { Attributes })
    : await api.host('numbers-upload').upload(
        path,
        { FriendlyName: nameOf(request), Type: document.document_type, Attributes },
        {
          field: 'File',
          // The organization's own file name may say something about a person.
          filename: `document.${extensions[document.content_type] ?? 'bin'}`,
          content_type: document.content_type,
          content: await document.read(),
        },
      );
  const carrier_document = madeOf(context, response, document.requirement);
  if (carrier_document.outcome !== 'made') return carrier_document.result;
  const { requirement, id } = document;
  const added: HeldDocument = { requirement, attempt: request.attempt, id, sid: carrier_document.sid };
  return stepTo(context, {
    documents: held ? progress.documents : [...progress.documents, added],
    current: [...progress.current, carrier_document.sid],
  });
}

/** Proves an address with the address itself, where the regulation allows that. */
async function addressDocumentStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, request, regulation, progress } = context;
  const rule = regulation!.documents.find(
    ({ key, address_type }) =>
      address_type !== null &&
      !progress.documents.some((each) => each.requirement === key && !isReplaced(context)(each)),
  );
  if (!rule || !progress.address) return null;
  const response = await api.host('numbers').post(`${compliance_path}/SupportingDocuments`, {
    FriendlyName: nameOf(request),
    Type: rule.address_type!,
    Attributes: JSON.stringify({ [address_field]: [progress.address] }),
  });
  const address_document = madeOf(context, response, 'address');
  if (address_document.outcome !== 'made') return address_document.result;
  const added = { requirement: rule.key, attempt: request.attempt, id: 'address', sid: address_document.sid };
  return stepTo(context, { documents: [...progress.documents, added] });
}

// ---- the bundle

async function bundleStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, request, regulation, progress, may_be_done, compliance_email } = context;
  if (progress.bundle) return null;
  const host = api.host('numbers');
  if (may_be_done) {
    const listing = await host.get(`${compliance_path}/Bundles`, { FriendlyName: nameOf(request) });
    if (listing.outcome !== 'response') return unread(listing);
    if (listing.status !== 200) return refused(listing.status, listing.json);
    const sid = sidNamed(listField(listing.json, 'results'), nameOf(request));
    if (sid) return stepTo(context, { bundle: sid });
  }
  const response = await host.post(`${compliance_path}/Bundles`, {
    FriendlyName: nameOf(request),
    Email: compliance_email,
    RegulationSid: regulation!.sid,
    StatusCallback: `${context.callbackUrl()}?verification=${request.reference}`,
  });
  const bundle = madeOf(context, response, null);
  return bundle.outcome === 'made' ? stepTo(context, { bundle: bundle.sid }) : bundle.result;
}

const assignmentsPath = ({ bundle }: NumberProgress) =>
  `${compliance_path}/Bundles/${bundle}/ItemAssignments`;

async function readAssignments({ api, progress }: StepContext) {
  const response = await api.host('numbers').get(assignmentsPath(progress), { PageSize: '100' });
  if (response.outcome !== 'response') return unread(response);
  if (response.status !== 200) return refused(response.status, response.json);
  return { outcome: 'found' as const, assignments: listField(response.json, 'results') };
}

/** A document that was replaced or removed since it was handed over. */
const isReplaced =
  ({ request }: StepContext) =>
  ({ requirement, attempt, id }: HeldDocument): boolean => {
    const { documents, problems } = request;
    if (id === 'address') return attempt < request.attempt && problems.some(({ key }) => key === 'address');
    if (documents.some((each) => each.id === id)) return false;
    // What a document of the console proves is unknown: the new ones are complete without it.
    if (requirement === '') return documents.length > 0;
    return attempt === request.attempt || documents.some((each) => each.requirement === requirement);
  };

async function unassignStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, progress } = context;
  const document = progress.documents.find(isReplaced(context));
  if (!document) return null;
  const { sid } = document;
  const assignments = await readAssignments(context);
  if (assignments.outcome !== 'found') return assignments;
  const assignment = assignments.assignments.find((each) => textField(each, 'object_sid') === sid);
  if (assignment) {
    const path = `${assignmentsPath(progress)}/${textField(assignment, 'sid')}`;
    const response = await api.host('numbers').delete(path);
    if (response.outcome !== 'response') return response;
    if (response.status !== 204 && response.status !== 404) return refused(response.status, response.json);
  }
  return stepTo(context, {
    documents: progress.documents.filter((each) => each !== document),
    assigned: progress.assigned.filter((each) => each !== sid),
    discarded: [...progress.discarded, sid],
  });
}

/** A document that Twilio keeps, because something else uses it, is no problem for the submission. */
async function discardStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, progress } = context;
  const [sid, ...discarded] = progress.discarded;
  if (sid === undefined) return null;
  const response = await api.host('numbers').delete(`${compliance_path}/SupportingDocuments/${sid}`);
  return response.outcome === 'response' ? stepTo(context, { discarded }) : response;
}

async function assignStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, progress, may_be_done } = context;
  const objects = [...progress.end_users, ...progress.documents.map(({ sid }) => sid)];
  const sid = objects.find((each) => !progress.assigned.includes(each));
  if (sid === undefined) return null;
  const done = stepTo(context, { assigned: [...progress.assigned, sid] });
  if (may_be_done) {
    const assignments = await readAssignments(context);
    if (assignments.outcome !== 'found') return assignments;
    if (assignments.assignments.some((each) => textField(each, 'object_sid') === sid)) return done;
  }
  const response = await api.host('numbers').post(assignmentsPath(progress), { ObjectSid: sid });
  const assignment = madeOf(context, response, null);
  return assignment.outcome === 'made' ? done : assignment.result;
}

/** Twilio's own check, so that a submission that cannot succeed is not made. */
async function evaluateStep(context: StepContext): Promise<AdvanceResult | null> {
  const { api, regulation, progress } = context;
  if (progress.is_evaluated) return null;
  const path = `${compliance_path}/Bundles/${progress.bundle}/Evaluations`;
  const evaluation = madeOf(context, await api.host('numbers').post(path, {}), null);
  if (evaluation.outcome !== 'made') return evaluation.result;
  if (textField(evaluation.json, 'status') === 'compliant') return stepTo(context, { is_evaluated: true });
  const problems: VerificationProblem[] = evaluationProblems(regulation!, evaluation.json);
  return { outcome: 'incomplete', progress: toBeCorrected(progress), problems };
}

const submitted_states = new Set([
  'pending-review',
  'in-review',
  'twilio-approved',
  'provisionally-approved',
]);

async function submitStep(context: StepContext): Promise<AdvanceResult> {
  const { api, progress, may_be_done } = context;
  const path = `${compliance_path}/Bundles/${progress.bundle}`;
  if (may_be_done) {
    const listing = await api.host('numbers').get(path);
    if (listing.outcome !== 'response') return unread(listing);
    if (submitted_states.has(textField(listing.json, 'status') ?? ''))
      return handedOver(context, progress.bundle!);
  }
  const response = await api.host('numbers').post(path, { Status: 'pending-review' });
  const submission = madeOf(context, response, null);
  return submission.outcome === 'made' ? handedOver(context, progress.bundle!) : submission.result;
}

const handedOver = (context: StepContext, provider_verification_id: string): AdvanceResult => {
  const { progress, request } = context;
  const is_first = progress.submitted_attempt !== request.attempt;
  return {
    outcome: 'handed_over',
    progress: toBeCorrected({
      ...progress,
      submitted_attempt: request.attempt,
      renews: is_first && progress.bundle ? renewedBundles(context) : progress.renews,
    }),
    provider_verification_id,
    address_reference: progress.address,
    service_reference: null,
  };
};
