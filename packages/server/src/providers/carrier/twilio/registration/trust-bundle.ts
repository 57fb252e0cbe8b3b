// Customer profiles and trust products of Twilio: both collect objects, are evaluated and reviewed in the same way.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { field, listField, textField } from '../../carrier-http.ts';
import type { StateResult } from '../../registration.ts';
import type { TwilioHostApi } from '../api.ts';
import { type Created, checked, createdSid, findInList } from '../responses.ts';
import { problem } from './form-items.ts';
import { known } from './state.ts';

export type BundleType = {
  path: '/v1/CustomerProfiles' | '/v1/TrustProducts';
  /** The same for all accounts; read at Twilio whenever the requirements are read. */
  policy_sid: string;
};

/** A profile of a customer of the account's owner, who has the primary profile. */
export const secondary_profile: BundleType = {
  path: '/v1/CustomerProfiles',
  policy_sid: 'RNdfbf3fae0e1107f8aded0e7cead80bf5',
};

/** What US networks want to know about a company that sends texts. */
export const a2p_product: BundleType = {
  path: '/v1/TrustProducts',
  policy_sid: 'RNb0d4771c2c98518d916a3d4cd70a8f8b',
};

/** Finds the bundle by its name after a lost answer. */
export async function createBundle(
  hub: TwilioHostApi,
  { path, policy_sid }: BundleType,
  bundle: { name: string; email: string; status_callback: string },
  may_be_done: boolean,
): Promise<Created> {
  if (may_be_done) {
    const query = { FriendlyName: bundle.name, PolicySid: policy_sid };
    const isOurs = (each: unknown) => textField(each, 'friendly_name') === bundle.name;
    const page_item = await findInList(hub, path, 'results', isOurs, query);
    if (page_item.outcome !== 'ok') return page_item;
    const sid = textField(page_item.item, 'sid');
    if (sid) return { outcome: 'ok', sid };
  }
  const created = await hub.post(path, {
    FriendlyName: bundle.name,
    Email: bundle.email,
    PolicySid: policy_sid,
    StatusCallback: bundle.status_callback,
  });
  return createdSid(created, 201);
}

/** Twilio refuses the same assignment twice, so a repeated one looks first. */
export async function assign(
  hub: TwilioHostApi,
  { path }: BundleType,
  bundle_sid: string,
  object_sid: string,
  may_be_done: boolean,
): Promise<Created> {
  const assignments = `${path}/${bundle_sid}/EntityAssignments`;
  if (may_be_done) {
    const isOurs = (each: unknown) => textField(each, 'object_sid') === object_sid;
    const assignment = await findInList(hub, assignments, 'results', isOurs);
    if (assignment.outcome !== 'ok') return assignment;
    const sid = textField(assignment.item, 'sid');
    if (sid) return { outcome: 'ok', sid };
  }
  return createdSid(await hub.post(assignments, { ObjectSid: object_sid }), 201);
}

/** Twilio's own check; no problems means that the bundle can be submitted. `keyOf` names the item of the form. */
export async function evaluate(
  hub: TwilioHostApi,
  { path, policy_sid }: BundleType,
  bundle_sid: string,
  keyOf: (object_field: string) => string | null,
): Promise<{ outcome: 'ok'; problems: VerificationProblem[] } | CarrierFailure> {
  const response = await hub.post(`${path}/${bundle_sid}/Evaluations`, { PolicySid: policy_sid });
  const answer = checked(response, 201);
  if (answer.outcome !== 'ok') return answer;
  if (textField(answer.json, 'status') === 'compliant') return { outcome: 'ok', problems: [] };
  const problems = listField(answer.json, 'results')
    .filter((result) => field(result, 'passed') === false)
    .flatMap((result) => {
      const invalid = listField(result, 'invalid');
      return (invalid.length > 0 ? invalid : [result]).map((each) =>
        problem(
          keyOf(textField(each, 'object_field') ?? ''),
          textField(each, 'error_code') ?? 'noncompliant',
          textField(each, 'failure_reason') ?? 'Twilio found this not complete.',
        ),
      );
    });
  const unexplained = problem(null, 'noncompliant', 'Twilio found the registration not complete.');
  return { outcome: 'ok', problems: problems.length > 0 ? problems : [unexplained] };
}

const in_review: readonly string[] = ['pending-review', 'in-review', 'twilio-approved'];

/** A submission whose answer was lost is not repeated. */
export async function submitBundle(
  hub: TwilioHostApi,
  { path }: BundleType,
  bundle_sid: string,
  may_be_done: boolean,
): Promise<Created> {
  if (may_be_done) {
    const now = await readBundle(hub, path, bundle_sid);
    if (now.outcome !== 'ok') return now;
    if (in_review.includes(now.status ?? '')) return { outcome: 'ok', sid: bundle_sid };
  }
  return createdSid(await hub.post(`${path}/${bundle_sid}`, { Status: 'pending-review' }), 200);
}

/** `status` is null for a bundle that does not exist. */
export async function readBundle(
  hub: TwilioHostApi,
  path: BundleType['path'],
  bundle_sid: string,
): Promise<{ outcome: 'ok'; status: string | null; json: unknown } | CarrierFailure> {
  const answer = checked(await hub.get(`${path}/${bundle_sid}`), 200, 404);
  if (answer.outcome !== 'ok') return answer;
  const status = answer.status === 200 ? (textField(answer.json, 'status') ?? '') : null;
  return { outcome: 'ok', status, json: answer.json };
}

const rejectionOf = (json: unknown): VerificationProblem[] => {
  const problems = listField(json, 'errors').map((error) => {
    const code = textField(error, 'code') ?? textField(error, 'error_code') ?? 'rejected';
    const text = textField(error, 'description') ?? textField(error, 'message');
    return problem(null, code, text ?? `Twilio rejected the company's details (error ${code}).`);
  });
  const unexplained = problem(null, 'rejected', "Twilio rejected the company's details without a reason.");
  return problems.length > 0 ? problems : [unexplained];
};

/** The state of a registration whose current part is this bundle. An approved one makes room for the next part. */
export async function bundleState(
  hub: TwilioHostApi,
  { path }: BundleType,
  bundle_sid: string,
): Promise<StateResult> {
  const now = await readBundle(hub, path, bundle_sid);
  if (now.outcome !== 'ok') return now;
  switch (now.status) {
    case null:
      return { outcome: 'absent' };
    case 'pending-review':
      // A later part is a detail of the review.
      return known(path === secondary_profile.path ? 'submitted' : 'in_review');
    case 'in-review':
    case 'provisionally-approved':
      return known('in_review');
    case 'twilio-approved':
      return known('in_review', { ready_to_advance: true });
    case 'twilio-rejected':
      return known('rejected', { problems: rejectionOf(now.json) });
    default:
      return { outcome: 'unclear', word: now.status };
  }
}
