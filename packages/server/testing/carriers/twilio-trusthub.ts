// Twilio's Trust Hub in the stand-in: policies, customer profiles and trust products with their objects and evaluations.
import type { Reply, SeenRequest } from './stand-in.ts';
import {
  isoNow,
  type Json,
  newSid,
  notFound,
  pageOf,
  type Route,
  refusal,
  routed,
  type TwilioObject,
} from './twilio-objects.ts';

export const primary_profile = `BU${'f0'.repeat(16)}`;
const profile_policy = 'RNdfbf3fae0e1107f8aded0e7cead80bf5';
const product_policy = 'RNb0d4771c2c98518d916a3d4cd70a8f8b';

const end_users: Record<string, string[]> = {
  customer_profile_business_information: [
    'business_type',
    'business_registration_number',
    'business_name',
    'business_registration_identifier',
    'business_identity',
    'business_industry',
    'website_url',
    'business_regions_of_operation',
    'social_media_profile_urls',
  ],
  authorized_representative_1: [
    'first_name',
    'last_name',
    'email',
    'phone_number',
    'business_title',
    'job_position',
  ],
  us_a2p_messaging_profile_information: [
    'company_type',
    'stock_exchange',
    'stock_ticker',
    'brand_contact_email',
  ],
};
const optional = ['social_media_profile_urls', 'stock_exchange', 'stock_ticker', 'brand_contact_email'];

export type Bundle = TwilioObject & {
  status: string;
  status_callback: string | null;
  friendly_name: string;
  policy_sid: string;
  errors: Json[] | null;
};
type Assignment = { sid: string; bundle: string; object: string };

export type TrustHub = {
  profiles: Bundle[];
  products: Bundle[];
  objects: Map<string, TwilioObject>;
  assignments: Assignment[];
  /** Bundles whose last evaluation was compliant; a change of their objects ends it. */
  compliant: Set<string>;
  /** Optional fields that an evaluation demands all the same. */
  demanded: Set<string>;
};

export const newTrustHub = (account: string): TrustHub => ({
  profiles: [
    { ...newBundle(account, new URLSearchParams()), sid: primary_profile, status: 'twilio-approved' },
  ],
  products: [],
  objects: new Map(),
  assignments: [],
  compliant: new Set(),
  demanded: new Set(),
});

const newBundle = (account_sid: string, form: URLSearchParams): Bundle => ({
  sid: newSid('BU'),
  account_sid,
  policy_sid: form.get('PolicySid') ?? `RN${'0'.repeat(32)}`,
  friendly_name: form.get('FriendlyName') ?? 'Primary profile',
  status: 'draft',
  email: form.get('Email') ?? 'operator@example.com',
  status_callback: form.get('StatusCallback'),
  valid_until: null,
  date_created: isoNow(),
  date_updated: isoNow(),
  url: null,
  links: {},
  errors: null,
});

function policy(sid: string): Reply {
  const types: Record<string, string[]> = {
    [profile_policy]: ['customer_profile_business_information', 'authorized_representative_1'],
    [product_policy]: ['us_a2p_messaging_profile_information'],
  };
  const listed = types[sid];
  if (!listed) return notFound(`/v1/Policies/${sid}`);
  const end_user = listed.map((type) => ({
    type,
    requirement_name: type,
    name: type,
    url: `/EndUserTypes/${type}`,
    fields: end_users[type],
  }));
  const requirements = { end_user, supporting_document: [], supporting_trust_products: [] };
  return { status: 200, json: { sid, friendly_name: 'Policy', requirements, url: null } };
}

/** The bundle, with what it must contain: end users of the policy, and for a profile the address and the primary profile. */
function failuresOf(hub: TrustHub, bundle: Bundle): Json[] {
  const is_profile = hub.profiles.includes(bundle);
  const ids = hub.assignments.filter((each) => each.bundle === bundle.sid).map(({ object }) => object);
  const types = is_profile
    ? ['customer_profile_business_information', 'authorized_representative_1']
    : ['us_a2p_messaging_profile_information'];
  const missing = (what: string): Json => ({
    requirement_name: what,
    friendly_name: what,
    passed: false,
    failure_reason: `${what} is missing.`,
    error_code: 22214,
    valid: [],
    invalid: [],
  });
  const failures = types.flatMap((type) => {
    const user = ids.map((id) => hub.objects.get(id)).find((each) => each?.type === type);
    if (!user) return [missing(type)];
    const attributes = user.attributes as Record<string, string>;
    const invalid = end_users[type]!.filter(
      (name) => !attributes[name] && (!optional.includes(name) || hub.demanded.has(name)),
    );
    if (invalid.length === 0) return [];
    const explained = invalid.map((object_field) => ({
      object_field,
      friendly_name: object_field,
      failure_reason: `The ${object_field} is missing.`,
      error_code: 22215,
    }));
    return [{ ...missing(type), invalid: explained }];
  });
  if (is_profile && !ids.includes(primary_profile)) failures.push(missing('primary_customer_profile'));
  if (is_profile && !ids.some((id) => hasAddress(hub, id)))
    failures.push(missing('customer_profile_address'));
  if (!is_profile && !ids.some((id) => hub.profiles.some((each) => each.sid === id)))
    failures.push(missing('customer_profile'));
  return failures;
}

const hasAddress = (hub: TrustHub, id: string): boolean => {
  const document = hub.objects.get(id);
  const address = (document?.attributes as Record<string, string> | undefined)?.address_sids;
  return document?.type === 'customer_profile_address' && /^AD[0-9a-f]{32}$/.test(address ?? '');
};

function objectRoutes(hub: TrustHub, account_sid: string, path: string, prefix: string): Route[] {
  const attributesOf = (form: URLSearchParams) => JSON.parse(form.get('Attributes') ?? '{}') as Json;
  return [
    {
      method: 'POST',
      path,
      answer({ form }) {
        const object = {
          sid: newSid(prefix),
          account_sid,
          friendly_name: form.get('FriendlyName'),
          type: form.get('Type'),
          attributes: attributesOf(form),
          date_created: isoNow(),
          date_updated: isoNow(),
          url: null,
        };
        hub.objects.set(object.sid, object);
        return { status: 201, json: object };
      },
    },
    {
      method: 'POST',
      path: `${path}/:sid`,
      answer({ form, ids, request }) {
        const object = hub.objects.get(ids[0]!);
        if (!object) return notFound(request.path);
        object.attributes = attributesOf(form);
        for (const { bundle, object: id } of hub.assignments)
          if (id === object.sid) hub.compliant.delete(bundle);
        return { status: 200, json: object };
      },
    },
  ];
}

function bundleRoutes(hub: TrustHub, account: string, path: string, bundles: Bundle[]): Route[] {
  const policy_sid = path.endsWith('Products') ? product_policy : profile_policy;
  const find = (id: string) => bundles.find((each) => each.sid === id);
  return [
    {
      method: 'POST',
      path,
      answer({ form }) {
        if (form.get('PolicySid') !== policy_sid) return refusal(20001, 'Unknown policy');
        const bundle = newBundle(account, form);
        bundles.push(bundle);
        return { status: 201, json: bundle };
      },
    },
    {
      method: 'GET',
      path,
      answer: ({ request }) => {
        const name = request.query.get('FriendlyName');
        const fits = bundles.filter((each) => name === null || each.friendly_name === name);
        return pageOf(request, 'results', fits);
      },
    },
    {
      method: 'GET',
      path: `${path}/:sid`,
      answer: ({ ids, request }) => {
        const bundle = find(ids[0]!);
        return bundle ? { status: 200, json: bundle } : notFound(request.path);
      },
    },
    {
      method: 'POST',
      path: `${path}/:sid`,
      answer({ ids, form, request }) {
        const bundle = find(ids[0]!);
        if (!bundle) return notFound(request.path);
        const is_open = bundle.status === 'draft' || bundle.status === 'twilio-rejected';
        if (form.get('Status') !== 'pending-review' || !is_open || !hub.compliant.has(bundle.sid))
          return refusal(22206, `A bundle that is ${bundle.status} cannot be submitted`);
        Object.assign(bundle, { status: 'pending-review', errors: null });
        return { status: 200, json: bundle };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:sid`,
      answer({ ids, request }) {
        const bundle = find(ids[0]!);
        if (bundle?.status !== 'draft') return notFound(request.path);
        bundles.splice(bundles.indexOf(bundle), 1);
        return { status: 204 };
      },
    },
    ...contentRoutes(hub, account, path, find),
  ];
}

function contentRoutes(
  hub: TrustHub,
  account_sid: string,
  path: string,
  find: (id: string) => Bundle | undefined,
): Route[] {
  const owner = path.endsWith('Products') ? 'trust_product_sid' : 'customer_profile_sid';
  const shown = ({ sid, bundle, object }: Assignment) => ({
    sid,
    account_sid,
    [owner]: bundle,
    object_sid: object,
    date_created: isoNow(),
    url: null,
  });
  return [
    {
      method: 'POST',
      path: `${path}/:sid/EntityAssignments`,
      answer({ ids, form, request }) {
        const object = form.get('ObjectSid')!;
        const exists = hub.objects.has(object) || hub.profiles.some((each) => each.sid === object);
        if (!find(ids[0]!) || !exists) return notFound(request.path);
        const made = { sid: newSid('BV'), bundle: ids[0]!, object };
        if (hub.assignments.some((each) => each.bundle === made.bundle && each.object === object))
          return refusal(20409, 'The object is already assigned', 409);
        hub.assignments.push(made);
        return { status: 201, json: shown(made) };
      },
    },
    {
      method: 'GET',
      path: `${path}/:sid/EntityAssignments`,
      answer: ({ ids, request }) => {
        const assigned = hub.assignments.filter((each) => each.bundle === ids[0]);
        return pageOf(request, 'results', assigned.map(shown));
      },
    },
    {
      method: 'POST',
      path: `${path}/:sid/Evaluations`,
      answer({ ids, form, request }) {
        const bundle = find(ids[0]!);
        if (!bundle || form.get('PolicySid') !== bundle.policy_sid) return notFound(request.path);
        const results = failuresOf(hub, bundle);
        if (results.length === 0) hub.compliant.add(bundle.sid);
        const status = results.length === 0 ? 'compliant' : 'noncompliant';
        const evaluation = { sid: newSid('EL'), account_sid, policy_sid: bundle.policy_sid, status, results };
        const json = { ...evaluation, [owner]: bundle.sid, date_created: isoNow(), url: null };
        return { status: 201, json };
      },
    },
  ];
}

export const trustHubRoutes = (hub: TrustHub, account: string) => {
  const routes: Route[] = [
    { method: 'GET', path: '/v1/Policies/:sid', answer: ({ ids }) => policy(ids[0]!) },
    ...objectRoutes(hub, account, '/v1/EndUsers', 'IT'),
    ...objectRoutes(hub, account, '/v1/SupportingDocuments', 'RD'),
    ...bundleRoutes(hub, account, '/v1/CustomerProfiles', hub.profiles),
    ...bundleRoutes(hub, account, '/v1/TrustProducts', hub.products),
  ];
  return (request: SeenRequest): Reply | null => routed(routes, request);
};
