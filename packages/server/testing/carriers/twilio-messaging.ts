// Twilio's messaging host in the stand-in: services with their numbers and campaigns, brands, toll-free verifications.
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
import type { TrustHub } from './twilio-trusthub.ts';

export type Brand = TwilioObject & {
  status: string;
  identity_status: string | null;
  customer_profile_bundle_sid: string;
  errors: Json[];
};
export type Campaign = TwilioObject & { service: string; campaign_status: string; errors: Json[] };
export type TollFree = TwilioObject & {
  status: string;
  external_reference_id: string | null;
  edit_allowed: boolean | null;
  edit_expiration: string | null;
  rejection_reasons: Json[] | null;
};
type Service = TwilioObject & { friendly_name: string; numbers: Set<string> };

export type Messaging = {
  brands: Brand[];
  services: Service[];
  campaigns: Campaign[];
  toll_free: TollFree[];
  /** Whether the account may edit failed campaigns with the API. */
  edits_campaigns: boolean;
  /**
   * The operator registered the account in Twilio's console: every number that is bought joins a service of the operator, which
   * has a verified campaign. False for an account that registers with the API.
   */
  registers_numbers: boolean;
};

export const newMessaging = (): Messaging => ({
  brands: [],
  services: [],
  campaigns: [],
  toll_free: [],
  edits_campaigns: true,
  registers_numbers: true,
});

const use_cases = ['2FA', 'CUSTOMER_CARE', 'LOW_VOLUME', 'MIXED'].map((code) => ({
  code,
  name: code.toLowerCase(),
  description: `Texts for ${code}`,
  post_approval_required: false,
}));

const newService = (account_sid: string, form: URLSearchParams): Service => ({
  sid: newSid('MG'),
  account_sid,
  friendly_name: form.get('FriendlyName')!,
  use_inbound_webhook_on_number: form.get('UseInboundWebhookOnNumber') === 'true',
  inbound_request_url: null,
  date_created: isoNow(),
  date_updated: isoNow(),
  numbers: new Set(),
});
const shownService = ({ numbers: _, ...service }: Service) => service;

const newCampaign = (account_sid: string, service: string, form: URLSearchParams): Campaign => ({
  sid: newSid('QE'),
  account_sid,
  service,
  messaging_service_sid: service,
  brand_registration_sid: form.get('BrandRegistrationSid'),
  description: form.get('Description'),
  message_flow: form.get('MessageFlow'),
  message_samples: form.getAll('MessageSamples'),
  us_app_to_person_usecase: form.get('UsAppToPersonUsecase'),
  has_embedded_links: form.get('HasEmbeddedLinks') === 'true',
  has_embedded_phone: form.get('HasEmbeddedPhone') === 'true',
  campaign_status: 'PENDING',
  errors: [],
  date_created: isoNow(),
  date_updated: isoNow(),
  mock: false,
});
const shownCampaign = ({ service: _, ...campaign }: Campaign) => campaign;

/** What the operator did in the console for a new number, see `registers_numbers`. */
export function registerInConsole(messaging: Messaging, account: string, number_sid: string): void {
  if (!messaging.registers_numbers) return;
  const name = 'Made in the console';
  let service = messaging.services.find((each) => each.friendly_name === name);
  if (!service) {
    service = newService(account, new URLSearchParams({ FriendlyName: name }));
    messaging.services.push(service);
    const campaign = newCampaign(account, service.sid, new URLSearchParams());
    messaging.campaigns.push({ ...campaign, campaign_status: 'VERIFIED' });
  }
  service.numbers.add(number_sid);
}

function brandRoutes(messaging: Messaging, hub: TrustHub, account_sid: string): Route[] {
  const path = '/v1/a2p/BrandRegistrations';
  const isApproved = (sid: string | null) =>
    [...hub.profiles, ...hub.products].some((each) => each.sid === sid && each.status === 'twilio-approved');
  return [
    {
      method: 'POST',
      path,
      answer({ form }) {
        const profile = form.get('CustomerProfileBundleSid')!;
        const product = form.get('A2PProfileBundleSid')!;
        if (!isApproved(profile) || !isApproved(product))
          return refusal(20001, 'The customer profile or the A2P profile is not approved');
        const brand: Brand = {
          sid: newSid('BN'),
          account_sid,
          customer_profile_bundle_sid: profile,
          a2p_profile_bundle_sid: product,
          brand_type: form.get('BrandType'),
          skip_automatic_sec_vet: form.get('SkipAutomaticSecVet') === 'true',
          status: 'PENDING',
          identity_status: 'SELF_DECLARED',
          errors: [],
          mock: false,
          date_created: isoNow(),
          date_updated: isoNow(),
        };
        messaging.brands.push(brand);
        return { status: 201, json: brand };
      },
    },
    { method: 'GET', path, answer: ({ request }) => pageOf(request, 'data', messaging.brands) },
    {
      method: 'GET',
      path: `${path}/:sid`,
      answer: ({ ids, request }) => {
        const brand = messaging.brands.find((each) => each.sid === ids[0]);
        return brand ? { status: 200, json: brand } : notFound(request.path);
      },
    },
    {
      method: 'POST',
      path: `${path}/:sid`,
      answer({ ids, request }) {
        const brand = messaging.brands.find((each) => each.sid === ids[0]);
        if (!brand) return notFound(request.path);
        if (brand.status !== 'FAILED') return refusal(21725, 'Only a failed brand can be updated');
        Object.assign(brand, { status: 'PENDING', errors: [] });
        return { status: 202, json: brand };
      },
    },
  ];
}

function serviceRoutes(messaging: Messaging, account: string): Route[] {
  const path = '/v1/Services';
  const find = (id: string | undefined) => messaging.services.find((each) => each.sid === id);
  return [
    {
      method: 'POST',
      path,
      answer({ form }) {
        const service = newService(account, form);
        messaging.services.push(service);
        return { status: 201, json: shownService(service) };
      },
    },
    {
      method: 'GET',
      path,
      answer: ({ request }) => pageOf(request, 'services', messaging.services.map(shownService)),
    },
    {
      method: 'POST',
      path: `${path}/:sid`,
      answer({ ids, form, request }) {
        const service = find(ids[0]);
        if (!service) return notFound(request.path);
        service.use_inbound_webhook_on_number = form.get('UseInboundWebhookOnNumber') === 'true';
        return { status: 200, json: shownService(service) };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:sid`,
      answer({ ids, request }) {
        const service = find(ids[0]);
        if (!service) return notFound(request.path);
        messaging.services.splice(messaging.services.indexOf(service), 1);
        return { status: 204 };
      },
    },
    ...memberRoutes(messaging, account),
  ];
}

function memberRoutes(messaging: Messaging, account_sid: string): Route[] {
  const path = '/v1/Services/:service/PhoneNumbers';
  const find = (id: string | undefined) => messaging.services.find((each) => each.sid === id);
  const shown = (service_sid: string, sid: string) => ({
    sid,
    account_sid,
    service_sid,
    date_created: isoNow(),
    date_updated: isoNow(),
    country_code: 'US',
    capabilities: ['SMS'],
    url: null,
  });
  return [
    {
      method: 'POST',
      path,
      answer({ ids, form, request }) {
        const service = find(ids[0]);
        if (!service) return notFound(request.path);
        const number = form.get('PhoneNumberSid')!;
        if (service.numbers.has(number))
          return refusal(21710, 'Phone Number is already in the Messaging Service', 409);
        if (messaging.services.some((each) => each.numbers.has(number)))
          return refusal(21712, 'Phone Number is associated with another Messaging Service', 409);
        service.numbers.add(number);
        return { status: 201, json: shown(service.sid, number) };
      },
    },
    {
      method: 'GET',
      path: `${path}/:sid`,
      answer: ({ ids, request }) =>
        find(ids[0])?.numbers.has(ids[1]!)
          ? { status: 200, json: shown(ids[0]!, ids[1]!) }
          : notFound(request.path),
    },
    {
      method: 'DELETE',
      path: `${path}/:sid`,
      answer: ({ ids, request }) =>
        find(ids[0])?.numbers.delete(ids[1]!) ? { status: 204 } : notFound(request.path),
    },
  ];
}

/** Twilio's rules for a new campaign and an edit. */
function campaignRefusal(form: URLSearchParams): Reply | null {
  const samples = form.getAll('MessageSamples');
  if ((form.get('Description') ?? '').length < 40) return refusal(21702, 'Description is too short');
  if (samples.length < 2 || samples.length > 5 || samples.some(({ length }) => length < 20))
    return refusal(21703, 'MessageSamples must be two to five texts of at least 20 characters');
  return null;
}

function campaignRoutes(messaging: Messaging, account: string): Route[] {
  const path = '/v1/Services/:service/Compliance/Usa2p';
  const find = (service: string | undefined, sid: string | undefined) =>
    messaging.campaigns.find((each) => each.service === service && each.sid === sid);
  const inService = (id: string | undefined) => messaging.campaigns.filter((each) => each.service === id);
  return [
    {
      method: 'POST',
      path,
      answer({ ids, form, request }) {
        if (!messaging.services.some((each) => each.sid === ids[0])) return notFound(request.path);
        const brand = messaging.brands.find((each) => each.sid === form.get('BrandRegistrationSid'));
        if (brand?.status !== 'APPROVED') return refusal(21718, 'The brand is not approved');
        if (inService(ids[0]).length > 0) return refusal(21717, 'The service has a campaign');
        if (!use_cases.some(({ code }) => code === form.get('UsAppToPersonUsecase')))
          return refusal(21704, 'UsAppToPersonUsecase is not valid');
        const refused = campaignRefusal(form);
        if (refused) return refused;
        const campaign = newCampaign(account, ids[0]!, form);
        messaging.campaigns.push(campaign);
        return { status: 201, json: shownCampaign(campaign) };
      },
    },
    {
      method: 'GET',
      path,
      answer: ({ ids, request }) => pageOf(request, 'compliance', inService(ids[0]).map(shownCampaign)),
    },
    {
      method: 'GET',
      path: `${path}/Usecases`,
      answer: ({ ids, request }) =>
        messaging.services.some((each) => each.sid === ids[0])
          ? { status: 200, json: { us_app_to_person_usecases: use_cases } }
          : notFound(request.path),
    },
    {
      method: 'GET',
      path: `${path}/:sid`,
      answer: ({ ids, request }) => {
        const campaign = find(ids[0], ids[1]);
        return campaign ? { status: 200, json: shownCampaign(campaign) } : notFound(request.path);
      },
    },
    {
      method: 'POST',
      path: `${path}/:sid`,
      answer({ ids, form, request }) {
        const campaign = find(ids[0], ids[1]);
        if (!campaign) return notFound(request.path);
        if (!messaging.edits_campaigns || campaign.campaign_status !== 'FAILED')
          return refusal(20001, 'This campaign cannot be edited');
        const refused = campaignRefusal(form);
        if (refused) return refused;
        Object.assign(campaign, {
          campaign_status: 'IN_PROGRESS',
          errors: [],
          message_flow: form.get('MessageFlow'),
          message_samples: form.getAll('MessageSamples'),
        });
        return { status: 200, json: shownCampaign(campaign) };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:sid`,
      answer({ ids, request }) {
        const campaign = find(ids[0], ids[1]);
        if (!campaign) return notFound(request.path);
        messaging.campaigns.splice(messaging.campaigns.indexOf(campaign), 1);
        return { status: 204 };
      },
    },
  ];
}

export function messagingRoutes(messaging: Messaging, hub: TrustHub, account: string, more: Route[]) {
  const routes = [
    ...brandRoutes(messaging, hub, account),
    ...serviceRoutes(messaging, account),
    ...campaignRoutes(messaging, account),
    ...more,
  ];
  return (request: SeenRequest): Reply | null => routed(routes, request);
}
