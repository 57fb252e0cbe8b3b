// US brands, campaigns and toll-free verifications of the simulated Telnyx account, and their review.
import { randomUUID } from 'node:crypto';
import type { Reply } from './stand-in.ts';
import {
  type Account,
  type Brand,
  type Campaign,
  type Json,
  missing,
  ok,
  refusal,
  type TelnyxRequest,
  type TollFree,
  timestamp,
  unprocessable,
} from './telnyx-account.ts';

const page = (records: unknown[], query: URLSearchParams): Reply => {
  const [number, size] = [Number(query.get('page') ?? 1), Number(query.get('recordsPerPage') ?? 10)];
  const shown = records.slice((number - 1) * size, number * size);
  return ok({ page: number, records: shown, totalRecords: records.length });
};

const refuse = (detail: string) => refusal('10015', 'Bad request', detail, 400);

const enums: Readonly<Record<string, unknown>> = {
  entityType: ['PRIVATE_PROFIT', 'PUBLIC_PROFIT', 'NON_PROFIT', 'GOVERNMENT', 'SOLE_PROPRIETOR'],
  vertical: { RETAIL: { displayName: 'Retail' }, TECHNOLOGY: { displayName: 'Technology' } },
  usecase: { CUSTOMER_CARE: { displayName: 'Customer care' }, MARKETING: { displayName: 'Marketing' } },
};

// ---- brands

function brandProblem(json: Json): Reply | null {
  if (!/^\d{2}-?\d{7}$/.test(String(json.ein ?? '')))
    return unprocessable('ein', 'The EIN must have 9 digits');
  if (json.country === 'US' && !/^[A-Z]{2}$/.test(String(json.state ?? '')))
    return unprocessable('state', 'The state must be a code of 2 letters');
  return null;
}

const listedBrand = ({ brandId, displayName, companyName, email, entityType, status, createdAt }: Brand) => ({
  ...{ brandId, displayName, companyName, email, entityType, status, createdAt },
});

function brandRoute(account: Account, { method, parts, query, json }: TelnyxRequest): Reply | null {
  const { brands, revets } = account;
  const [, , id, part] = parts;
  if (id === undefined && method === 'GET') {
    const name = query.get('displayName');
    return page(brands.filter((each) => name === null || each.displayName === name).map(listedBrand), query);
  }
  if (id === undefined) {
    const brand = { ...json, brandId: randomUUID(), status: 'REGISTRATION_PENDING' } as unknown as Brand;
    const times = { createdAt: timestamp(), updatedAt: timestamp(), brandRelationship: 'BASIC_ACCOUNT' };
    const refused = brandProblem(json);
    if (!refused) brands.push(Object.assign(brand, times));
    return refused ?? ok(brand);
  }
  if (id === 'feedback') return ok({ brandId: part, category: feedbackOf(account, part!) });
  const brand = brands.find((each) => each.brandId === id);
  if (!brand) return missing;
  if (part === 'revet') {
    if ((revets.get(id) ?? 0) > 0) return refuse('The brand was checked again already in the last 3 months');
    revets.set(id, 1);
    return ok(Object.assign(brand, { status: 'REGISTRATION_PENDING', updatedAt: timestamp() }));
  }
  if (method === 'PUT')
    return brandProblem(json) ?? ok(Object.assign(brand, json, { updatedAt: timestamp() }));
  if (method !== 'DELETE') return ok(brand);
  if (account.campaigns.some((each) => each.brandId === id)) return refuse('The brand has campaigns');
  brands.splice(brands.indexOf(brand), 1);
  return { status: 204 };
}

const feedbackOf = ({ brands }: Account, id: string) =>
  brands.find(({ brandId }) => brandId === id)?.identityStatus === 'UNVERIFIED'
    ? [
        {
          id: 'TAX_ID',
          displayName: 'Tax id',
          description: 'The tax id does not belong to this company.',
          fields: ['ein', 'companyName'],
        },
      ]
    : [];

export function decideBrands({ brands }: Account, decision: 'approved' | 'rejected' | 'contact'): void {
  const identityStatus = { approved: 'VERIFIED', rejected: 'UNVERIFIED', contact: 'SELF_DECLARED' }[decision];
  for (const brand of brands.filter((each) => each.status === 'REGISTRATION_PENDING'))
    Object.assign(brand, { status: 'OK', identityStatus, updatedAt: timestamp() });
}

// ---- campaigns

function createCampaign({ brands, campaigns }: Account, json: Json): Reply {
  const brand = brands.find((each) => each.brandId === json.brandId);
  if (brand?.identityStatus !== 'VERIFIED') return refuse('The brand is not verified');
  if (campaigns.some((each) => each.referenceId === json.referenceId))
    return refuse('referenceId is not unique');
  if (json.termsAndConditions !== true)
    return unprocessable('termsAndConditions', 'The terms must be accepted');
  if (!json.sample1 || !json.sample2) return unprocessable('sample2', 'Two samples are needed');
  const campaign = {
    ...json,
    campaignId: randomUUID(),
    campaignStatus: 'TCR_PENDING',
  } as unknown as Campaign;
  const given_by_registry = { cspId: 'CSP1', mock: false, subUsecases: json.subUsecases ?? [] };
  campaigns.push(Object.assign(campaign, given_by_registry, { createDate: timestamp(), status: 'ACTIVE' }));
  return ok(campaign);
}

function campaignRoute(account: Account, { method, parts, query, json }: TelnyxRequest): Reply | null {
  const { campaigns } = account;
  const [, , id, part] = parts;
  if (id === undefined)
    return page(
      campaigns.filter((each) => each.brandId === query.get('brandId')),
      query,
    );
  const campaign = campaigns.find((each) => each.campaignId === id);
  if (!campaign) return missing;
  if (part === 'appeal') {
    if (!['TELNYX_FAILED', 'MNO_REJECTED'].includes(campaign.campaignStatus))
      return refuse('The campaign cannot be appealed');
    Object.assign(campaign, { campaignStatus: 'TCR_ACCEPTED', appeal_reason: json.appeal_reason });
    return ok({ appealed_at: timestamp() });
  }
  if (method === 'PUT') return ok(Object.assign(campaign, json));
  if (method === 'DELETE') {
    campaigns.splice(campaigns.indexOf(campaign), 1);
    return ok({ time: 1, message: 'deactivated' });
  }
  const { appeal_reason: _, ...shown } = campaign;
  return ok(shown);
}

export type CampaignDecision = { campaignStatus: string; failureReasons?: unknown };

export function decideCampaigns({ campaigns }: Account, decision: CampaignDecision): void {
  for (const campaign of campaigns) Object.assign(campaign, { failureReasons: undefined, ...decision });
}

/** What the operator did in the console for a number, see `needs_campaigns`. */
function consoleAssignment({ numbers, needs_campaigns }: Account, phoneNumber: string): Reply {
  if (needs_campaigns.on || !numbers.some((each) => each.phone_number === phoneNumber)) return missing;
  const times = { createdAt: timestamp(), updatedAt: timestamp() };
  return ok({ phoneNumber, campaignId: 'made-in-the-console', assignmentStatus: 'ASSIGNED', ...times });
}

function assignmentRoute(account: Account, { method, parts, json }: TelnyxRequest): Reply | null {
  const { assignments, campaigns, numbers } = account;
  const e164 = parts[2] ?? String(json.phoneNumber ?? '');
  const known = assignments.find((each) => each.phoneNumber === e164);
  if (method === 'GET') return known ? ok(known) : consoleAssignment(account, e164);
  if (method === 'DELETE') {
    if (known) assignments.splice(assignments.indexOf(known), 1);
    return known ? ok({ ...known, assignmentStatus: 'PENDING_UNASSIGNMENT' }) : missing;
  }
  const number = numbers.find((each) => each.phone_number === e164);
  if (!number?.messaging_profile_id) return refuse('The number is in no messaging profile');
  const campaign = campaigns.find((each) => each.campaignId === json.campaignId);
  if (campaign?.campaignStatus !== 'MNO_PROVISIONED') return refuse('The campaign is not active');
  if (method === 'POST' && known) return refuse('The number is in a campaign already');
  const assigned = { phoneNumber: e164, campaignId: campaign.campaignId, assignmentStatus: 'ASSIGNED' };
  const assignment = { ...assigned, createdAt: timestamp(), updatedAt: timestamp() };
  assignments.splice(known ? assignments.indexOf(known) : assignments.length, known ? 1 : 0, assignment);
  return ok(assignment);
}

function tenDlcRoutes(account: Account, request: TelnyxRequest): Reply | null {
  const { method, parts, json } = request;
  switch (parts[1]) {
    case 'enum':
      return enums[parts[2]!] ? ok(enums[parts[2]!]) : missing;
    case 'brand':
      return brandRoute(account, request);
    case 'campaignBuilder': {
      if (method === 'POST') return createCampaign(account, json);
      const [, , , brand, , usecase] = parts;
      const fits = account.brands.some((each) => each.brandId === brand) && usecase !== 'POLITICAL';
      return fits ? ok({ usecase, monthlyFee: 10, quarterlyFee: 30, annualFee: 120 }) : missing;
    }
    case 'campaign':
      return campaignRoute(account, request);
    case 'phone_number_campaigns':
      return assignmentRoute(account, request);
    default:
      return null;
  }
}

// ---- toll-free

function tollFreeRoute({ toll_free }: Account, { method, parts, query, json }: TelnyxRequest): Reply | null {
  const id = parts[3];
  if (id === undefined && method === 'GET') {
    const e164 = query.get('phone_number');
    const records = toll_free.filter((each) =>
      each.phoneNumbers.some(({ phoneNumber }) => e164 === null || phoneNumber === e164),
    );
    return ok({ records, total_records: records.length });
  }
  if (id === undefined) {
    const made = { ...json, id: randomUUID(), verificationStatus: 'Waiting For Telnyx' };
    const times = { createdAt: timestamp(), updatedAt: timestamp() };
    toll_free.push({ ...made, ...times } as unknown as TollFree);
    return ok({ ...made, verificationRequestId: made.id });
  }
  const request = toll_free.find((each) => each.id === id);
  if (!request) return missing;
  if (method === 'PATCH') {
    Object.assign(request, json, { updatedAt: timestamp(), verificationStatus: 'Waiting For Telnyx' });
    const { createdAt: _, updatedAt: __, reason: ___, ...shown } = request;
    return ok({ ...shown, verificationRequestId: id });
  }
  if (method !== 'DELETE') return ok(request);
  if (request.verificationStatus !== 'Rejected') return refuse('Only a rejected request can be deleted');
  toll_free.splice(toll_free.indexOf(request), 1);
  return ok({});
}

export function decideTollFree({ toll_free }: Account, verificationStatus: string, reason?: string): void {
  for (const request of toll_free)
    Object.assign(request, { verificationStatus, reason, updatedAt: timestamp() });
}

export function registrationRoutes(account: Account, request: TelnyxRequest): Reply | null {
  if (request.parts[0] === '10dlc') return tenDlcRoutes(account, request);
  return request.parts[0] === 'messaging_tollfree' ? tollFreeRoute(account, request) : null;
}
