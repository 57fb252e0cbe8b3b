// Regulatory requirements of the simulated Telnyx account: addresses, documents, requirement groups and their review.
import { randomUUID } from 'node:crypto';
import { multipartParts } from './multipart-parts.ts';
import type { Reply, SeenRequest } from './stand-in.ts';
import {
  type Account,
  type Group,
  type GroupValue,
  type Json,
  listed,
  missing,
  ok,
  type RegulatoryRequirement,
  refusal,
  type TelnyxRequest,
  timestamp,
  wrapped,
} from './telnyx-account.ts';

const requirement = (
  name: string,
  field_type: RegulatoryRequirement['field_type'],
  acceptance_criteria: Json = {},
): RegulatoryRequirement => ({
  id: randomUUID(),
  name,
  description: `${name} of the user`,
  example: 'An example',
  field_type,
  acceptance_criteria,
});

/** What local numbers of France need, in this order: a name, a date of birth, an address, a document, a choice. */
export function regulateFrance({ requirements }: Pick<Account, 'requirements'>): RegulatoryRequirement[] {
  const items = [
    requirement('Company name', 'textual', { min_length: '2', max_length: '100' }),
    requirement('Date of birth', 'datetime'),
    requirement('Address matching the area code', 'address', { locality_limit: 'Identical locality' }),
    requirement('Proof of address', 'document', { time_limit: 'Less than 3 months old' }),
    requirement('Kind of customer', 'textual', { acceptable_values: ['company', 'person'] }),
  ];
  requirements.set('FR local', items);
  return items;
}

const asked = ({ requirements }: Account, country: string, type: string) =>
  requirements.get(`${country} ${type}`) ?? [];

function listRequirements(account: Account, query: URLSearchParams): Reply {
  const country = query.get('filter[country_code]') ?? '';
  const type = query.get('filter[phone_number_type]') ?? '';
  if (country === 'AQ') return refusal('10015', 'Invalid country', 'The country is not supported', 422);
  const regulatory_requirements = asked(account, country, type);
  return listed([
    { action: 'ordering', country_code: country, phone_number_type: type, regulatory_requirements },
  ]);
}

/** Null when the value fits. */
function valueProblem(
  account: Account,
  type: RegulatoryRequirement['field_type'],
  value: string,
): string | null {
  if (type === 'address' && !account.addresses.some(({ id }) => id === value)) return 'Unknown address';
  if (type === 'document' && !account.documents.some(({ id }) => id === value)) return 'Unknown document';
  if (type === 'datetime' && Number.isNaN(Date.parse(value))) return 'Not a date';
  return value === '' ? 'Empty value' : null;
}

function setValues(account: Account, group: Group, values: GroupValue[]): Reply | null {
  const known = asked(account, group.country_code, group.phone_number_type);
  for (const [index, { requirement_id, field_value }] of values.entries()) {
    const type = known.find(({ id }) => id === requirement_id)?.field_type;
    const problem = type ? valueProblem(account, type, field_value) : 'Unknown requirement';
    const pointer = `/regulatory_requirements/${index}/field_value`;
    if (problem) return refusal('10015', 'Invalid value', problem, 422, { pointer });
    for (const document of account.documents) if (document.id === field_value) document.linked = true;
    const others = group.regulatory_requirements.filter((each) => each.requirement_id !== requirement_id);
    group.regulatory_requirements = [...others, { requirement_id, field_value, status: 'unapproved' }];
  }
  group.status = 'unapproved';
  group.updated_at = timestamp();
  return null;
}

function createGroup(account: Account, json: Json): Reply {
  const { regulatory_requirements = [], ...rest } = json;
  const group = {
    ...rest,
    id: randomUUID(),
    record_type: 'requirement_group',
    status: 'unapproved',
    regulatory_requirements: [],
    created_at: timestamp(),
  } as unknown as Group;
  const refused = setValues(account, group, regulatory_requirements as GroupValue[]);
  if (refused) return refused;
  account.groups.push(group);
  return ok(group);
}

function submitGroup(account: Account, group: Group): Reply {
  if (group.status !== 'unapproved')
    return refusal('10015', 'Invalid state', `The group is ${group.status}`, 422);
  const given = new Set(group.regulatory_requirements.map(({ requirement_id }) => requirement_id));
  const absent = asked(account, group.country_code, group.phone_number_type).find(({ id }) => !given.has(id));
  if (absent) return refusal('10015', 'Missing value', `${absent.name} is missing`, 422);
  group.status = 'pending-approval';
  for (const value of group.regulatory_requirements) value.status = 'pending-approval';
  group.updated_at = timestamp();
  return ok(group);
}

function groupRoute(account: Account, { method, parts, query, json }: TelnyxRequest): Reply | null {
  const { groups } = account;
  const [, id, part] = parts;
  if (id === undefined) {
    if (method === 'POST') return createGroup(account, json);
    const reference = query.get('filter[customer_reference]');
    // Unlike other lists, this one is a bare array.
    return ok(groups.filter((each) => reference === null || each.customer_reference === reference));
  }
  const group = groups.find((each) => each.id === id);
  if (!group) return missing;
  if (part === 'submit_for_approval') return submitGroup(account, group);
  if (method === 'PATCH')
    return setValues(account, group, (json.regulatory_requirements ?? []) as GroupValue[]) ?? ok(group);
  if (method === 'DELETE') groups.splice(groups.indexOf(group), 1);
  return ok(group);
}

export function storeDocument({ documents }: Account, request: SeenRequest): Reply {
  const parts = multipartParts(request);
  const file = parts.find(({ name }) => name === 'file');
  if (!file) return refusal('10015', 'Missing file', 'The file is missing', 422);
  const document = {
    id: randomUUID(),
    record_type: 'document',
    customer_reference: parts.find(({ name }) => name === 'customer_reference')?.text ?? '',
    filename: file.filename ?? '',
    content_type: file.content_type ?? '',
    size: { unit: 'bytes', amount: file.content.length },
    status: 'pending',
  };
  documents.push({ ...document, content: file.content, linked: false });
  return wrapped(document);
}

/** What Telnyx does 30 minutes after the upload. */
export function expireDocuments(account: Account): void {
  account.documents.splice(0, Infinity, ...account.documents.filter(({ linked }) => linked));
}

export type GroupDecision = {
  status: 'approved' | 'declined' | 'expired';
  /** The requirements that are declined; all others are approved. */
  declined?: string[];
  comment?: string;
  expires_at?: string;
};

/** Decides about the newest group, or all that wait. */
export function decideGroups(account: Account, decision: GroupDecision): void {
  const { status, declined = [], comment, expires_at } = decision;
  for (const group of account.groups) {
    const waits =
      group.status === 'pending-approval' || (status === 'expired' && group.status === 'approved');
    if (!waits) continue;
    group.status = status;
    group.updated_at = timestamp();
    for (const value of group.regulatory_requirements) {
      value.status = status === 'declined' && !declined.includes(value.requirement_id) ? 'approved' : status;
      if (expires_at) value.expires_at = expires_at;
    }
    if (comment) account.comments.push(...remarks(group, comment));
  }
}

/** A reviewer's comment, and one of the account itself, which is no reason. */
const remarks = ({ id }: Group, body: string): Json[] =>
  (['user', 'admin'] as const).map((commenter_type) => ({
    id: randomUUID(),
    body: commenter_type === 'admin' ? body : 'Please hurry.',
    commenter: `${commenter_type}@example.com`,
    commenter_type,
    comment_record_type: 'requirement_group',
    comment_record_id: id,
    created_at: timestamp(),
  }));

export function requirementRoutes(account: Account, request: TelnyxRequest): Reply | null {
  const { method, parts, query, json } = request;
  const [collection, id] = parts;
  const remove = (from: { id: string }[]): Reply => {
    const at = from.findIndex((each) => each.id === id);
    return at === -1 ? missing : wrapped(shown(from.splice(at, 1)[0]!));
  };
  switch (collection) {
    case 'regulatory_requirements':
      return listRequirements(account, query);
    case 'requirement_groups':
      return groupRoute(account, request);
    case 'addresses': {
      if (method === 'DELETE') return remove(account.addresses);
      const address = { ...json, id: String(account.addresses.length + 1_000_000), record_type: 'address' };
      account.addresses.push(address);
      return wrapped(address);
    }
    case 'documents':
      return method === 'DELETE' ? remove(account.documents) : null;
    case 'comments':
      return listed(
        account.comments.filter(
          (each) =>
            each.comment_record_type === query.get('filter[comment_record_type]') &&
            each.comment_record_id === query.get('filter[comment_record_id]'),
        ),
      );
    default:
      return null;
  }
}

const shown = (each: Json) => {
  const { content: _, linked: __, ...rest } = each;
  return rest;
};
