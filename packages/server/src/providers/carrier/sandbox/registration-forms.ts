// The forms that the sandbox asks for, with the shapes that real carriers have.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import type { RegistrationQuery } from '../registration.ts';
import { campaign_purpose, item } from '../requirement-items.ts';

const choices = (...values: string[]) =>
  values.map((value) => ({ value, label: value.replaceAll('_', ' ').toLowerCase() }));

const name = item({ key: 'subject_name', label: 'Name', input: 'text', max_length: 200 });

/** Only the name: the smallest request that is possible. */
const name_only = [
  name,
  item({ key: 'address', label: 'Address', input: 'address', required: false }),
  item({
    key: 'registration_number',
    label: 'Registration number',
    input: 'text',
    required: false,
    max_length: 100,
  }),
];

const with_document = [
  name,
  item({ key: 'address', label: 'Address', input: 'address', locality: 'country' }),
  item({ key: 'birth_date', label: 'Date of birth', input: 'date', sensitive: true }),
  item({
    key: 'proof_of_address',
    label: 'Proof of address',
    description: 'A document of the last three months that shows the name and the address.',
    input: 'document',
    accepted_documents: [
      { type: 'utility_bill', label: 'Utility bill', fields: [] },
      {
        type: 'register_extract',
        label: 'Extract of the company register',
        fields: [{ value: 'document_number', label: 'Document number' }],
      },
    ],
  }),
];

const brand = [
  name,
  item({ key: 'website', label: 'Website', input: 'url' }),
  item({ key: 'contact_email', label: 'Contact email', input: 'email' }),
  item({
    key: 'company_type',
    label: 'Company type',
    input: 'choice',
    choices: choices('private', 'public', 'non_profit', 'government'),
  }),
  item({ key: 'registration_number', label: 'EIN', input: 'text', max_length: 100 }),
  item({ key: 'address', label: 'Address', input: 'address', locality: 'country' }),
];

const campaign = [
  ...campaign_purpose,
  item({ key: 'message_samples', label: 'Message samples', input: 'text_list' }),
  item({ key: 'has_links', label: 'Texts contain links', input: 'boolean', required: false }),
];

const toll_free = [
  name,
  item({ key: 'website', label: 'Website', input: 'url' }),
  item({ key: 'contact_email', label: 'Contact email', input: 'email' }),
  item({ key: 'use_case_summary', label: 'Use case', input: 'text', max_length: 500 }),
  item({ key: 'message_sample', label: 'Message sample', input: 'text', max_length: 1000 }),
  item({
    key: 'message_volume',
    label: 'Texts per month',
    input: 'choice',
    choices: choices('10', '100', '1,000', '10,000'),
  }),
];

export function requirementsOf({ kind, country_code }: RegistrationQuery): Requirement[] {
  switch (kind) {
    case 'us_brand':
      return brand;
    case 'us_campaign':
      return campaign;
    case 'toll_free':
      return toll_free;
    default:
      return country_code === 'FR' ? with_document : name_only;
  }
}
