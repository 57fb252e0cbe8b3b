// The steps of a brand registration. Each does at most one request that changes something at Twilio.
import { textField } from '../../carrier-http.ts';
import type { AdvanceResult, Progress, RegistrationRequest } from '../../registration.ts';
import type { TwilioHostApi } from '../api.ts';
import { type Created, checked, createdSid, findInList } from '../responses.ts';
import { ensureService, organizationService } from '../services.ts';
import { attributesOf, brandKey, type ObjectName, object_types } from './brand-form.ts';
import { addressOf, isYes, problem } from './form-items.ts';
import type { RegistrationDeps } from './kind.ts';
import {
  a2p_product,
  assign,
  type BundleType,
  createBundle,
  evaluate,
  readBundle,
  secondary_profile,
  submitBundle,
} from './trust-bundle.ts';

export const brands_path = '/v1/a2p/BrandRegistrations';

type Run = {
  deps: RegistrationDeps;
  hub: TwilioHostApi;
  request: RegistrationRequest;
  progress: Progress;
  may_be_done: boolean;
};
/** Null and `looked`: nothing was changed at Twilio, and the next step follows in the same call. */
type Step = (run: Run) => Promise<AdvanceResult | { outcome: 'looked'; progress: Progress } | null>;

/** An earlier attempt left objects at Twilio: they get the new answers, and the part that failed is submitted again. */
function forAttempt({ attempt }: RegistrationRequest, progress: Progress): Progress {
  if (progress.attempt === attempt && !progress.stale) return progress;
  const failed_part = progress.brand_sid
    ? { brand_submitted: false }
    : progress.profile_approved
      ? { product_evaluated: false, product_submitted: false }
      : { profile_evaluated: false, profile_submitted: false };
  return { ...progress, ...failed_part, attempt, stale: false, fresh: [] };
}

export async function advanceBrand(
  deps: RegistrationDeps,
  request: RegistrationRequest,
  stored: Progress,
  may_be_done: boolean,
): Promise<AdvanceResult> {
  const hub = deps.api.host('trusthub');
  let run: Run = { deps, hub, request, progress: forAttempt(request, stored), may_be_done };
  // The objects of a brand from the console are corrected there.
  for (const step of stored.adopted ? [brand] : steps) {
    const result = await step(run);
    if (result === null) continue;
    if (result.outcome !== 'looked') return result;
    run = { ...run, progress: result.progress };
  }
  return handedOver(run, String(run.progress.brand_sid));
}

const handedOver = ({ progress }: Run, provider_verification_id: string): AdvanceResult => ({
  outcome: 'handed_over',
  progress,
  provider_verification_id,
  address_reference: null,
  service_reference: null,
});

const stepOf = (created: Created, progressOf: (sid: string) => Progress): AdvanceResult =>
  created.outcome === 'ok' ? { outcome: 'step', progress: progressOf(created.sid) } : created;

const isFresh = ({ progress }: Run, name: string) => listIn(progress, 'fresh').includes(name);
const listIn = (progress: Progress, key: string): readonly string[] => {
  const value = progress[key];
  return Array.isArray(value) ? value : [];
};
const nameOf = (request: RegistrationRequest) => `parley ${request.reference}`;

/** Creates an object or gives it the new answers. A second object after a lost answer is harmless: no bundle has it. */
async function freshObject(
  run: Run,
  name: string,
  key: string,
  requests: { create(): Promise<Created>; update(sid: string): Promise<Created> },
): Promise<AdvanceResult | null> {
  if (isFresh(run, name)) return null;
  const { progress } = run;
  const earlier_sid = progress[key];
  const done = typeof earlier_sid === 'string' ? await requests.update(earlier_sid) : await requests.create();
  return stepOf(done, (sid) => ({ ...progress, [key]: sid, fresh: [...listIn(progress, 'fresh'), name] }));
}

const address: Step = async (run) => {
  const { deps, request } = run;
  const request_address = addressOf(request);
  if (!request_address?.region) {
    const message = 'The address needs a region, in the USA two letters such as CA.';
    return {
      outcome: 'incomplete',
      progress: run.progress,
      problems: [problem('address', 'missing', message)],
    };
  }
  const form = {
    CustomerName: request.subject_name,
    FriendlyName: nameOf(request),
    Street: request_address.street,
    City: request_address.city,
    Region: request_address.region,
    PostalCode: request_address.postal_code,
  };
  // The country of an address cannot change, so another country needs another address.
  const key = `address_${request_address.country_code}`;
  const address = await freshObject(run, 'address', key, {
    create: async () =>
      createdSid(
        await deps.api.post('/Addresses.json', { ...form, IsoCountry: request_address.country_code }),
        201,
      ),
    update: async (sid) => createdSid(await deps.api.post(`/Addresses/${sid}.json`, form), 200),
  });
  if (address?.outcome === 'refused')
    return {
      outcome: 'incomplete',
      progress: run.progress,
      problems: [problem('address', address.code, address.detail)],
    };
  if (address?.outcome !== 'step') return address;
  return { ...address, progress: { ...address.progress, address_sid: address.progress[key]! } };
};

const endUser =
  (object: ObjectName): Step =>
  (run) => {
    const { hub, request } = run;
    const form = {
      FriendlyName: `${nameOf(request)} ${object}`,
      Attributes: JSON.stringify(attributesOf(request, object)),
    };
    return freshObject(run, object, `${object}_sid`, {
      create: async () =>
        createdSid(await hub.post('/v1/EndUsers', { ...form, Type: object_types[object] }), 201),
      update: async (sid) => createdSid(await hub.post(`/v1/EndUsers/${sid}`, form), 200),
    });
  };

const addressDocument: Step = (run) => {
  const { hub, request, progress } = run;
  const form = {
    FriendlyName: `${nameOf(request)} address`,
    Attributes: JSON.stringify({ address_sids: String(progress.address_sid) }),
  };
  const path = '/v1/SupportingDocuments';
  return freshObject(run, 'document', 'document_sid', {
    create: async () => createdSid(await hub.post(path, { ...form, Type: 'customer_profile_address' }), 201),
    update: async (sid) => createdSid(await hub.post(`${path}/${sid}`, form), 200),
  });
};

type Part = { name: 'profile' | 'product'; type: BundleType; objects(run: Run): string[] };
const profile: Part = {
  name: 'profile',
  type: secondary_profile,
  objects: ({ progress, deps }) => [
    String(progress.business_sid),
    String(progress.representative_sid),
    String(progress.document_sid),
    deps.customer_profile_sid ?? '',
  ],
};
const product: Part = {
  name: 'product',
  type: a2p_product,
  objects: ({ progress }) => [String(progress.company_sid), String(progress.profile_sid)],
};

const bundle =
  ({ name, type }: Part): Step =>
  async ({ deps, hub, request, progress, may_be_done }) => {
    const key = `${name}_sid`;
    if (progress[key]) return null;
    const objects = {
      name: nameOf(request),
      email: deps.compliance_email ?? '',
      status_callback: `${deps.callbackUrl()}?verification=${request.reference}`,
    };
    return stepOf(await createBundle(hub, type, objects, may_be_done), (sid) => ({
      ...progress,
      [key]: sid,
    }));
  };

const assignments =
  (part: Part): Step =>
  async (run) => {
    const { hub, progress, may_be_done } = run;
    const key = `${part.name}_objects`;
    const assigned = listIn(progress, key);
    const open = part.objects(run).find((sid) => !assigned.includes(sid));
    if (open === undefined) return null;
    const done = await assign(hub, part.type, String(progress[`${part.name}_sid`]), open, may_be_done);
    return stepOf(done, () => ({ ...progress, [key]: [...assigned, open] }));
  };

const evaluation =
  ({ name, type }: Part): Step =>
  async ({ hub, progress }) => {
    const key = `${name}_evaluated`;
    if (progress[key]) return null;
    const result = await evaluate(hub, type, String(progress[`${name}_sid`]), brandKey);
    if (result.outcome !== 'ok') return result;
    if (result.problems.length === 0) return { outcome: 'step', progress: { ...progress, [key]: true } };
    return { outcome: 'incomplete', progress: { ...progress, stale: true }, problems: result.problems };
  };

const submission =
  ({ name, type }: Part): Step =>
  async (run) => {
    const { hub, progress, may_be_done } = run;
    const key = `${name}_submitted`;
    if (progress[key]) return null;
    const sid = String(progress[`${name}_sid`]);
    const done = await submitBundle(hub, type, sid, may_be_done);
    if (done.outcome !== 'ok') return done;
    return handedOver({ ...run, progress: { ...progress, [key]: true } }, String(progress.profile_sid));
  };

/** The next part begins when Twilio has approved this one; until then everything is handed over. */
const approval =
  ({ name, type }: Part): Step =>
  async (run) => {
    const { hub, progress } = run;
    const key = `${name}_approved`;
    if (progress[key] || progress.brand_sid) return null;
    const now = await readBundle(hub, type.path, String(progress[`${name}_sid`]));
    if (now.outcome !== 'ok') return now;
    if (now.status !== 'twilio-approved') return handedOver(run, String(progress.profile_sid));
    return { outcome: 'looked', progress: { ...progress, [key]: true } };
  };

/** The organization's messaging service: use cases of campaigns can be read only with a service. */
const service: Step = async ({ deps, request, progress }) => {
  if (progress.service_sid) return null;
  const service = await ensureService(
    deps.api.host('messaging'),
    organizationService(request.organization_id),
  );
  return stepOf(service, (sid) => ({ ...progress, service_sid: sid }));
};

/** A brand costs money: one of the same profile is looked for before every creation. */
const brand: Step = async (run) => {
  const { deps, request, progress } = run;
  if (progress.brand_submitted) return null;
  const messaging = deps.api.host('messaging');
  if (typeof progress.brand_sid === 'string') return resubmit(run, messaging, progress.brand_sid);
  const isOurs = (each: unknown) => textField(each, 'customer_profile_bundle_sid') === progress.profile_sid;
  const page_item = await findInList(messaging, brands_path, 'data', isOurs);
  if (page_item.outcome !== 'ok') return page_item;
  const earlier_sid = textField(page_item.item, 'sid');
  const brand = earlier_sid
    ? { outcome: 'ok' as const, sid: earlier_sid }
    : createdSid(
        await messaging.post(brands_path, {
          CustomerProfileBundleSid: String(progress.profile_sid),
          A2PProfileBundleSid: String(progress.product_sid),
          BrandType: 'STANDARD',
          SkipAutomaticSecVet: String(isYes(request, 'low_volume')),
        }),
        201,
      );
  if (brand.outcome !== 'ok') return brand;
  const done = { ...progress, brand_sid: brand.sid, brand_submitted: true };
  return handedOver({ ...run, progress: done }, brand.sid);
};

/** Only a failed brand takes corrections; another state means that the earlier request arrived. */
async function resubmit(run: Run, messaging: TwilioHostApi, sid: string): Promise<AdvanceResult> {
  const now = checked(await messaging.get(`${brands_path}/${sid}`), 200);
  if (now.outcome !== 'ok') return now;
  const status = textField(now.json, 'status') ?? '';
  if (status === 'SUSPENDED' || status.startsWith('DELETION'))
    return {
      outcome: 'refused',
      code: status.toLowerCase(),
      detail: 'Twilio takes no corrections of this brand. Register a new one, or ask the operator.',
    };
  if (status === 'FAILED') {
    const sent = createdSid(await messaging.post(`${brands_path}/${sid}`, {}), 202);
    if (sent.outcome !== 'ok') return sent;
  }
  return handedOver({ ...run, progress: { ...run.progress, brand_submitted: true } }, sid);
}

const steps: readonly Step[] = [
  address,
  endUser('business'),
  endUser('representative'),
  addressDocument,
  bundle(profile),
  assignments(profile),
  evaluation(profile),
  submission(profile),
  approval(profile),
  endUser('company'),
  bundle(product),
  assignments(product),
  evaluation(product),
  submission(product),
  approval(product),
  service,
  brand,
];
