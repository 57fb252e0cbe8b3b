// The form of a US brand: what Twilio's policies list, in our words, and the objects that the answers become.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import { listField, textField } from '../../carrier-http.ts';
import type { RegistrationRequest } from '../../registration.ts';
import { item } from '../../requirement-items.ts';
import { choices, textOf } from './form-items.ts';

/** The types of Twilio's objects that the form fills in. */
export const object_types = {
  business: 'customer_profile_business_information',
  representative: 'authorized_representative_1',
  company: 'us_a2p_messaging_profile_information',
} as const;
export type ObjectName = keyof typeof object_types;

const industries =
  'AGRICULTURE AUTOMOTIVE BANKING CONSTRUCTION CONSUMER EDUCATION ELECTRONICS ENERGY ENGINEERING FAST_MOVING_CONSUMER_GOODS FINANCIAL FINTECH FOOD_AND_BEVERAGE GOVERNMENT HEALTHCARE HOSPITALITY INSURANCE JEWELRY LEGAL MANUFACTURING MEDIA NOT_FOR_PROFIT OIL_AND_GAS ONLINE PROFESSIONAL_SERVICES RAW_MATERIALS REAL_ESTATE RELIGION RETAIL TECHNOLOGY TELECOMMUNICATIONS TRANSPORTATION TRAVEL'.split(
    ' ',
  );

type FormField = { object: ObjectName; field: string; requirement: Requirement };

const of = (object: ObjectName, field: string, requirement: Parameters<typeof item>[0]): FormField => ({
  object,
  field,
  requirement: item(requirement),
});
const text = (key: string, label: string, max_length = 100) => ({
  key,
  label,
  input: 'text' as const,
  max_length,
});
const choice = (key: string, label: string, values: readonly string[]) => ({
  key,
  label,
  input: 'choice' as const,
  choices: choices(values),
});

/** Fields that Twilio documents. The key of an item is Twilio's name of the field, except where our record has a field. */
const fields: readonly FormField[] = [
  of('business', 'business_name', {
    ...text('subject_name', 'Legal name of the company', 200),
    description: 'Exactly as in the register that issued the registration number.',
  }),
  of(
    'business',
    'business_type',
    choice('business_type', 'Legal form', [
      'Sole Proprietorship',
      'Partnership',
      'Limited Liability Corporation',
      'Co-operative',
      'Non-profit Corporation',
      'Corporation',
    ]),
  ),
  of('business', 'business_industry', choice('business_industry', 'Industry', industries)),
  of(
    'business',
    'business_registration_identifier',
    choice(
      'business_registration_identifier',
      'Kind of registration number',
      'EIN DUNS CBN CN ACN CIN VAT VATRN RN Other'.split(' '),
    ),
  ),
  of('business', 'business_registration_number', {
    ...text('registration_number', 'Registration number'),
    description: 'In the USA the EIN.',
  }),
  of(
    'business',
    'business_regions_of_operation',
    choice('business_regions_of_operation', 'Where the company works', [
      'AFRICA',
      'ASIA',
      'EUROPE',
      'LATIN_AMERICA',
      'USA_AND_CANADA',
    ]),
  ),
  of('business', 'website_url', { key: 'website_url', label: 'Website', input: 'url', max_length: 255 }),
  of('business', 'social_media_profile_urls', {
    ...text('social_media_profile_urls', 'Pages in social networks', 500),
    required: false,
  }),
  of('representative', 'first_name', text('first_name', 'First name of the representative')),
  of('representative', 'last_name', text('last_name', 'Last name of the representative')),
  of('representative', 'email', { key: 'email', label: 'Email of the representative', input: 'email' }),
  of('representative', 'phone_number', {
    key: 'phone_number',
    label: 'Phone number of the representative',
    input: 'phone',
  }),
  of('representative', 'business_title', text('business_title', 'Title of the representative')),
  of(
    'representative',
    'job_position',
    choice('job_position', 'Position of the representative', [
      'Director',
      'GM',
      'VP',
      'CEO',
      'CFO',
      'General Counsel',
      'Other',
    ]),
  ),
  of(
    'company',
    'company_type',
    choice('company_type', 'Company type', ['private', 'public', 'non_profit', 'government']),
  ),
  of('company', 'brand_contact_email', {
    key: 'brand_contact_email',
    label: 'Email for the confirmation of a public company',
    description: 'A public company confirms its registration with a message to this address.',
    input: 'email',
    required: false,
  }),
  of('company', 'stock_exchange', {
    ...text('stock_exchange', 'Stock exchange of a public company', 20),
    required: false,
  }),
  of('company', 'stock_ticker', {
    ...text('stock_ticker', 'Ticker of a public company', 20),
    required: false,
  }),
];

const address = item({
  key: 'address',
  label: 'Address of the company',
  description: 'With the region, in the USA as two letters such as CA.',
  input: 'address',
});

const low_volume = item({
  key: 'low_volume',
  label: 'Fewer than 2,000 texts per day to T-Mobile',
  description: 'Leaves out the secondary vetting and its fee; the networks then allow less traffic.',
  input: 'boolean',
  required: false,
});

/** What Twilio says itself: the customers of the operator are not resellers. */
const fixed: Readonly<Record<string, string>> = { business_identity: 'direct_customer' };

/** Fields of a policy, as `object.field`. */
const fieldsOf = (policy: unknown): Set<string> => {
  const names = new Set<string>();
  for (const requirement of listField(policy, 'requirements', 'end_user')) {
    const type = textField(requirement, 'type');
    const object = (Object.keys(object_types) as ObjectName[]).find((name) => object_types[name] === type);
    for (const field of listField(requirement, 'fields')) {
      if (object && typeof field === 'string') names.add(`${object}.${field}`);
    }
  }
  return names;
};

/** Items for what the policies list; null where they list none of our objects. A field that we do not know is optional text. */
export function brandForm(policies: readonly unknown[]): Requirement[] | null {
  const listed = new Set(policies.flatMap((policy) => [...fieldsOf(policy)]));
  const objects = new Set([...listed].map((name) => name.split('.')[0]));
  if (objects.size < Object.keys(object_types).length) return null;
  const listed_fields = fields.filter(({ object, field }) => listed.delete(`${object}.${field}`));
  const unknown = [...listed]
    .filter((name) => !(name.split('.')[1]! in fixed))
    .map((name) => {
      const label = name.split('.')[1]!.replaceAll('_', ' ');
      return item({ key: name, label, input: 'text', required: false, max_length: 500 });
    });
  return [...listed_fields.map(({ requirement }) => requirement), address, low_volume, ...unknown];
}

/** The attributes of one of Twilio's objects. */
export function attributesOf(request: RegistrationRequest, object: ObjectName): Record<string, string> {
  const attributes: Record<string, string> = object === 'business' ? { ...fixed } : {};
  for (const { field, requirement } of fields.filter((each) => each.object === object)) {
    const answer = textOf(request, requirement.key);
    if (answer !== null) attributes[field] = answer;
  }
  for (const [key, answer] of Object.entries(request.answers))
    if (key.startsWith(`${object}.`) && typeof answer === 'string')
      attributes[key.slice(object.length + 1)] = answer;
  return attributes;
}

/** Names of the address and of the company that the networks use in their reasons. */
const other_names: Readonly<Record<string, string>> = {
  address_sids: 'address',
  street: 'address',
  city: 'address',
  region: 'address',
  state: 'address',
  postal_code: 'address',
  country: 'address',
  company_name: 'subject_name',
  legal_company_name: 'subject_name',
  ein: 'registration_number',
  tax_id: 'registration_number',
  website: 'website_url',
};

/** The item of the form that a field in one of Twilio's reasons belongs to; null where it is none. */
export const brandKey = (name: string): string | null =>
  fields.find(({ field, requirement }) => field === name || requirement.key === name)?.requirement.key ??
  other_names[name] ??
  null;
