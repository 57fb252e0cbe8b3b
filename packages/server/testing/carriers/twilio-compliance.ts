// The regulatory compliance API of the Twilio stand-in: addresses, end users, documents, bundles and their evaluation.
import { randomBytes } from 'node:crypto';
import { multipartParts } from './multipart-parts.ts';
import type { Reply, SeenRequest } from './stand-in.ts';
import { type RegulationText, regulationTexts, shownRegulation } from './twilio-regulation-texts.ts';

type Attributes = Record<string, string | string[]>;
type Address = { sid: string; friendly_name: string; iso_country: string; form: Record<string, string> };
type EndUser = { sid: string; friendly_name: string; type: string; attributes: Attributes };
type Document = {
  sid: string;
  friendly_name: string;
  type: string;
  attributes: Attributes;
  mime_type: string | null;
  content: Buffer | null;
  status: string;
  failure_reason: string | null;
  errors: unknown[] | null;
};
type Bundle = {
  sid: string;
  friendly_name: string;
  email: string;
  regulation_sid: string;
  status: string;
  status_callback: string | null;
  valid_until: string | null;
  /** By the id of the assignment. */
  items: Map<string, string>;
};

export type TwilioCompliance = {
  addresses: Map<string, Address>;
  end_users: Map<string, EndUser>;
  documents: Map<string, Document>;
  bundles: Map<string, Bundle>;
  /** What Twilio asks for; a test may change it. */
  regulations: RegulationText[];
  handle(request: SeenRequest): Reply;
  /** The newest bundle. */
  lastBundle(): Bundle;
  approve(bundle: Bundle, valid_until?: Date): void;
  /** `reasons`: by the type of a document. */
  reject(bundle: Bundle, reasons: Record<string, string>): void;
};

const account_sid = `AC${'a1'.repeat(16)}`;
const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex');
const date = () => new Date().toISOString().replace(/\.\d+/, '');
const rfc2822 = () => new Date().toUTCString().replace('GMT', '+0000');
const refusal = (code: number, message: string, status = 400): Reply => ({
  status,
  json: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});
const missing = refusal(20404, 'The requested resource was not found', 404);
const base = '/v2/RegulatoryCompliance';
const shared = () => ({ account_sid, date_created: date(), date_updated: date() });

/** The bundle can be changed in these states only. */
const open_states = ['draft', 'twilio-rejected'];

export function twilioCompliance(): TwilioCompliance {
  const state: TwilioCompliance = {
    addresses: new Map(),
    end_users: new Map(),
    documents: new Map(),
    bundles: new Map(),
    regulations: structuredClone(regulationTexts),
    handle: (request) =>
      request.path.startsWith(base) ? compliance(state, request) : addresses(state, request),
    lastBundle: () => [...state.bundles.values()].at(-1)!,
    approve(bundle, valid_until) {
      bundle.status = 'twilio-approved';
      bundle.valid_until = valid_until?.toISOString() ?? null;
      for (const document of documentsIn(state, bundle)) document.status = 'approved';
    },
    reject(bundle, reasons) {
      bundle.status = 'twilio-rejected';
      for (const document of documentsIn(state, bundle)) {
        const reason = reasons[document.type];
        document.status = reason ? 'rejected' : 'approved';
        document.failure_reason = reason ?? null;
        document.errors = reason ? [{ code: 18601, message: '' }] : null;
      }
    },
  };
  return state;
}

const documentsIn = ({ documents }: TwilioCompliance, { items }: Bundle) =>
  [...items.values()].flatMap((sid) => documents.get(sid) ?? []);

// ---- addresses

function addresses({ addresses: all }: TwilioCompliance, { method, path, query, body }: SeenRequest): Reply {
  const sid = /\/Addresses\/(\w+)\.json$/.exec(path)?.[1];
  const form = Object.fromEntries(new URLSearchParams(body));
  const known = sid ? all.get(sid) : undefined;
  if (sid && !known) return missing;
  if (method === 'DELETE') {
    all.delete(sid!);
    return { status: 204 };
  }
  if (method === 'GET' && !sid) {
    const found = [...all.values()].filter(
      ({ friendly_name }) => !query.has('FriendlyName') || friendly_name === query.get('FriendlyName'),
    );
    return { status: 200, json: { addresses: found.map(shownAddress), page: 0, page_size: 50 } };
  }
  if (method === 'GET') return { status: 200, json: shownAddress(known!) };
  if (/^no such/i.test(form.Street ?? ''))
    return refusal(21628, 'Address is invalid: the street was not found.');
  const address: Address = known ?? {
    sid: newSid('AD'),
    friendly_name: '',
    iso_country: form.IsoCountry!,
    form: {},
  };
  Object.assign(address, { friendly_name: form.FriendlyName ?? address.friendly_name });
  Object.assign(address.form, form);
  all.set(address.sid, address);
  return { status: known ? 200 : 201, json: shownAddress(address) };
}

const shownAddress = ({ sid, friendly_name, iso_country, form }: Address) => ({
  sid,
  account_sid,
  friendly_name,
  customer_name: form.CustomerName,
  street: form.Street,
  city: form.City,
  region: form.Region,
  postal_code: form.PostalCode,
  iso_country,
  emergency_enabled: false,
  validated: false,
  verified: false,
  date_created: rfc2822(),
  date_updated: rfc2822(),
  uri: `/2010-04-01/Accounts/${account_sid}/Addresses/${sid}.json`,
});

// ---- end users, documents and bundles

function compliance(state: TwilioCompliance, request: SeenRequest): Reply {
  const [collection = '', sid, inner, inner_sid] = request.path.slice(base.length + 1).split('/');
  const form = new URLSearchParams(request.body);
  switch (collection) {
    case 'Regulations':
      return regulations(state, request.query);
    case 'EndUsers':
      return endUsers(state, request.method, sid, form);
    case 'SupportingDocuments':
      return documents(state, request, sid);
    case 'Bundles':
      return inner
        ? bundleItems(state, request.method, state.bundles.get(sid!), inner, inner_sid, form)
        : bundles(state, request, sid, form);
    default:
      return missing;
  }
}

const page = (results: unknown[]) => ({
  results,
  meta: { page: 0, page_size: 50, previous_page_url: null, next_page_url: null, key: 'results' },
});

function regulations({ regulations: all }: TwilioCompliance, query: URLSearchParams): Reply {
  const fits = (each: RegulationText) =>
    each.iso_country === query.get('IsoCountry') && each.number_type === query.get('NumberType');
  return { status: 200, json: page(all.filter(fits).map(shownRegulation)) };
}

/** Whether a bundle that is being reviewed or is approved has the object. */
const isLocked = ({ bundles: all }: TwilioCompliance, sid: string) =>
  [...all.values()].some(
    ({ status, items }) => !open_states.includes(status) && [...items.values()].includes(sid),
  );
const isAssigned = ({ bundles: all }: TwilioCompliance, sid: string) =>
  [...all.values()].some(({ items }) => [...items.values()].includes(sid));

function endUsers(
  state: TwilioCompliance,
  method: string,
  sid: string | undefined,
  form: URLSearchParams,
): Reply {
  const known = sid ? state.end_users.get(sid) : undefined;
  if (sid && !known) return missing;
  if (method === 'DELETE') return removed(state, state.end_users, sid!);
  if (method === 'POST' && known && isLocked(state, sid!))
    return refusal(22300, 'The end user is part of a bundle that is being reviewed.');
  const user: EndUser = known ?? {
    sid: newSid('IT'),
    friendly_name: '',
    type: form.get('Type')!,
    attributes: {},
  };
  user.friendly_name = form.get('FriendlyName') ?? user.friendly_name;
  if (form.has('Attributes')) user.attributes = JSON.parse(form.get('Attributes')!);
  state.end_users.set(user.sid, user);
  return { status: known ? 200 : 201, json: { ...user, ...shared() } };
}

function removed(state: TwilioCompliance, all: Map<string, unknown>, sid: string): Reply {
  if (isAssigned(state, sid)) return refusal(22301, 'The object is part of a bundle.');
  all.delete(sid);
  return { status: 204 };
}

function documents(state: TwilioCompliance, request: SeenRequest, sid: string | undefined): Reply {
  const known = sid ? state.documents.get(sid) : undefined;
  if (sid && !known) return missing;
  if (request.method === 'DELETE') return removed(state, state.documents, sid!);
  if (request.method === 'GET') return { status: 200, json: shownDocument(known!) };
  if (known && isLocked(state, sid!)) return refusal(22300, 'The document is being reviewed.');
  const is_upload = request.headers['content-type']?.startsWith('multipart/');
  const parts = is_upload ? multipartParts(request) : [];
  const file = parts.find(({ name }) => name === 'File');
  const form = is_upload
    ? new Map(parts.map(({ name, text }) => [name, text]))
    : new Map(new URLSearchParams(request.body));
  const attributes: Attributes = JSON.parse(form.get('Attributes') ?? '{}');
  if ([attributes.address_sids ?? []].flat().some((each) => !state.addresses.has(each)))
    return refusal(22207, 'The address does not exist.');
  const document: Document = known ?? {
    sid: newSid('RD'),
    friendly_name: form.get('FriendlyName')!,
    type: form.get('Type')!,
    attributes,
    mime_type: file?.content_type ?? null,
    content: file?.content ?? null,
    status: 'draft',
    failure_reason: null,
    errors: null,
  };
  document.attributes = attributes;
  state.documents.set(document.sid, document);
  return { status: known ? 200 : 201, json: shownDocument(document) };
}

const shownDocument = ({ content: _, ...document }: Document) => ({ ...document, ...shared() });

const shownBundle = ({ items: _, ...bundle }: Bundle) => ({ ...bundle, ...shared() });

function bundles(
  state: TwilioCompliance,
  { method, query }: SeenRequest,
  sid: string | undefined,
  form: URLSearchParams,
): Reply {
  const known = sid ? state.bundles.get(sid) : undefined;
  if (sid && !known) return missing;
  if (method === 'GET' && known) return { status: 200, json: shownBundle(known) };
  if (method === 'GET') {
    const fits = ({ friendly_name }: Bundle) => friendly_name === query.get('FriendlyName');
    return { status: 200, json: page([...state.bundles.values()].filter(fits).map(shownBundle)) };
  }
  if (known && !open_states.includes(known.status))
    return refusal(22303, `The bundle is ${known.status} and cannot be changed.`);
  if (method === 'DELETE') {
    state.bundles.delete(sid!);
    return { status: 204 };
  }
  if (known) return submitted(state, known, form);
  const bundle: Bundle = {
    sid: newSid('BU'),
    friendly_name: form.get('FriendlyName')!,
    email: form.get('Email')!,
    regulation_sid: form.get('RegulationSid')!,
    status: 'draft',
    status_callback: form.get('StatusCallback'),
    valid_until: null,
    items: new Map(),
  };
  if (!state.regulations.some((each) => each.sid === bundle.regulation_sid))
    return refusal(22302, 'The regulation does not exist.');
  state.bundles.set(bundle.sid, bundle);
  return { status: 201, json: shownBundle(bundle) };
}

function submitted(state: TwilioCompliance, bundle: Bundle, form: URLSearchParams): Reply {
  if (form.get('Status') !== 'pending-review') return refusal(22304, 'Only pending-review can be requested.');
  if (evaluate(state, bundle).some(({ passed }) => !passed))
    return refusal(22305, 'The bundle is not compliant.');
  if (documentsIn(state, bundle).some(({ status }) => status === 'rejected'))
    return refusal(22306, 'A rejected document is still part of the bundle.');
  bundle.status = 'pending-review';
  for (const document of documentsIn(state, bundle)) document.status = 'pending-review';
  return { status: 200, json: shownBundle(bundle) };
}

function bundleItems(
  state: TwilioCompliance,
  method: string,
  bundle: Bundle | undefined,
  inner: string,
  inner_sid: string | undefined,
  form: URLSearchParams,
): Reply {
  if (!bundle) return missing;
  const shown = ([sid, object_sid]: [string, string]) => ({
    sid,
    bundle_sid: bundle.sid,
    account_sid,
    object_sid,
    date_created: date(),
  });
  if (inner === 'Evaluations') {
    const results = evaluate(state, bundle);
    const status = results.every(({ passed }) => passed) ? 'compliant' : 'noncompliant';
    const { sid: bundle_sid, regulation_sid } = bundle;
    const evaluation = { sid: newSid('EL'), account_sid, regulation_sid, bundle_sid, status, results };
    return { status: 201, json: { ...evaluation, date_created: date() } };
  }
  if (inner === 'ReplaceItems') return replacedItems(state, bundle, form.get('FromBundleSid')!);
  if (method === 'GET') return { status: 200, json: page([...bundle.items].map(shown)) };
  if (!open_states.includes(bundle.status)) return refusal(22303, 'The bundle cannot be changed.');
  if (method === 'DELETE') return bundle.items.delete(inner_sid!) ? { status: 204 } : missing;
  const object = form.get('ObjectSid')!;
  if (!state.end_users.has(object) && !state.documents.has(object)) return missing;
  if ([...bundle.items.values()].includes(object)) return refusal(22308, 'The object is assigned already.');
  const item: [string, string] = [newSid('BV'), object];
  bundle.items.set(...item);
  return { status: 201, json: shown(item) };
}

function replacedItems({ bundles: all }: TwilioCompliance, bundle: Bundle, from: string): Reply {
  const source = all.get(from);
  if (!source) return missing;
  if ([bundle, source].some(({ status }) => status !== 'twilio-approved'))
    return refusal(22309, 'Both bundles must be approved.');
  bundle.items = new Map([...source.items.values()].map((object) => [newSid('BV'), object]));
  bundle.valid_until = source.valid_until;
  return { status: 201, json: shownBundle(bundle) };
}

// ---- the evaluation

const reason = (field: string, code: number) => ({
  friendly_name: field,
  object_field: field,
  failure_reason: `The ${field} is missing or does not match.`,
  error_code: code,
});

function evaluate(state: TwilioCompliance, bundle: Bundle) {
  const regulation = state.regulations.find(({ sid }) => sid === bundle.regulation_sid)!;
  const objects = [...bundle.items.values()];
  const user = objects.flatMap((sid) => state.end_users.get(sid) ?? [])[0];
  const { fields, requirement_name } = regulation.end_user;
  const wrong = (attributes: Attributes | undefined, names: string[]) =>
    names.filter((name) => {
      const value = attributes?.[name];
      const same = name === 'address_sids' || !(name in (user?.attributes ?? {}));
      return !value?.length || !(same || value === user!.attributes[name]);
    });
  const result = (name: string, object_type: string, found: boolean, bad: string[], code: number) => ({
    friendly_name: object_type,
    object_type,
    requirement_name: name,
    requirement_friendly_name: name,
    passed: found && bad.length === 0,
    failure_reason: found ? `The ${object_type} is not complete.` : `A ${object_type} is missing.`,
    error_code: found && bad.length === 0 ? null : code,
    valid: [],
    invalid: bad.map((each) => reason(each, code + 1)),
  });
  return [
    result(requirement_name, regulation.end_user_type, !!user, wrong(user?.attributes, fields), 22214),
    ...regulation.documents.map(({ requirement_name: name, accepted }) => {
      const tried = documentsIn(state, bundle).flatMap((document) =>
        accepted
          .filter(({ type }) => type === document.type)
          .map((each) => ({ type: each.type, bad: wrong(document.attributes, each.fields) })),
      );
      const best = tried.sort((a, b) => a.bad.length - b.bad.length)[0];
      return result(name, best?.type ?? accepted[0]!.type, !!best, best?.bad ?? [], 22216);
    }),
  ];
}
