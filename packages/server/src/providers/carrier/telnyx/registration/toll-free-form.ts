// The form of a toll-free verification at Telnyx. Telnyx publishes it in its API description, but does not list it by request.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import { item, optional } from '../../requirement-items.ts';
import { choicesOf } from './form.ts';
import type { FieldKeys } from './kind.ts';

export const toll_free_keys: FieldKeys = {
  businessName: 'subject_name',
  doingBusinessAs: 'display_name',
  corporateWebsite: 'website',
  businessAddr1: 'address',
  businessAddr2: 'address',
  businessCity: 'address',
  businessState: 'address',
  businessZip: 'address',
  businessContactFirstName: 'contact_first_name',
  businessContactLastName: 'contact_last_name',
  businessContactEmail: 'contact_email',
  businessContactPhone: 'contact_phone',
  businessRegistrationNumber: 'registration_number',
  businessRegistrationType: 'registration_type',
  businessRegistrationCountry: 'address',
  entityType: 'entity_type',
  messageVolume: 'message_volume',
  useCase: 'use_case',
  useCaseSummary: 'use_case_summary',
  productionMessageContent: 'message_sample',
  optInWorkflow: 'opt_in_workflow',
  optInWorkflowImageURLs: 'opt_in_image_urls',
  optInKeywords: 'opt_in_keywords',
  optInConfirmationResponse: 'opt_in_message',
  helpMessageResponse: 'help_message',
  privacyPolicyURL: 'privacy_policy_url',
  termsAndConditionURL: 'terms_url',
  ageGatedContent: 'age_gated',
  additionalInformation: 'additional_information',
};

const volumes = '10|100|1,000|10,000|100,000|250,000|500,000|750,000|1,000,000|5,000,000|10,000,000+'.split(
  '|',
);

const use_cases = [
  '2FA|App Notifications|Appointments|Auctions|Auto Repair Services|Bank Transfers|Billing|Booking Confirmations',
  'Business Updates|COVID-19 Alerts|Career Training|Chatbot|Conversational / Alerts|Courier Services & Deliveries',
  'Emergency Alerts|Events & Planning|Financial Services|Fraud Alerts|Fundraising|General Marketing',
  'General School Updates|HR / Staffing|Healthcare Alerts|Housing Community Updates|Insurance Services|Job Dispatch',
  'Legal Services|Mixed|Motivational Reminders|Notary Notifications|Order Notifications|Political|Public Works',
  'Real Estate Services|Religious Services|Repair and Diagnostics Alerts|Rewards Program|Surveys|System Alerts',
  'Voting Reminders|Waitlist Alerts|Webinar Reminders|Workshop Alerts',
].flatMap((line) => line.split('|'));

const text = (key: string, label: string, max_length = 500) =>
  ({ key, label, input: 'text', max_length }) as const;

/** `asks_use_case`: the verification does not name its use case. */
export const tollFreeForm = (asks_use_case: boolean): Requirement[] => [
  item(text('subject_name', 'Legal name of the company')),
  optional(text('display_name', 'Name that customers know')),
  item({ key: 'website', label: 'Website', input: 'url', max_length: 500 }),
  item({
    key: 'address',
    label: 'Address',
    description: 'Region is the full name of the state, such as Texas.',
    input: 'address',
  }),
  item(text('contact_first_name', 'First name of the contact')),
  item(text('contact_last_name', 'Last name of the contact')),
  item({ key: 'contact_email', label: 'Email of the contact', input: 'email', max_length: 500 }),
  item({ key: 'contact_phone', label: 'Phone of the contact', input: 'phone' }),
  item(text('registration_number', 'Registration number of the company', 100)),
  item({ ...text('registration_type', 'Kind of registration number'), description: 'Such as EIN.' }),
  optional({
    key: 'entity_type',
    label: 'Legal form',
    input: 'choice',
    choices: choicesOf(['SOLE_PROPRIETOR', 'PRIVATE_PROFIT', 'PUBLIC_PROFIT', 'NON_PROFIT', 'GOVERNMENT']),
  }),
  ...(asks_use_case
    ? [item({ key: 'use_case', label: 'Use case', input: 'choice', choices: choicesOf(use_cases) })]
    : []),
  item(text('use_case_summary', 'What the texts are for')),
  item(text('message_sample', 'Message sample', 1000)),
  item({ key: 'message_volume', label: 'Texts per month', input: 'choice', choices: choicesOf(volumes) }),
  item(text('opt_in_workflow', 'How people agree to get texts')),
  item({
    key: 'opt_in_image_urls',
    label: 'Pictures of how people agree',
    description: 'Public URLs of at least one picture.',
    input: 'text_list',
  }),
  optional(text('opt_in_keywords', 'Words that agree')),
  optional(text('opt_in_message', 'Confirmation of an agreement')),
  optional(text('help_message', 'Answer to HELP')),
  optional({ key: 'privacy_policy_url', label: 'Privacy policy', input: 'url', max_length: 500 }),
  optional({ key: 'terms_url', label: 'Terms and conditions', input: 'url', max_length: 500 }),
  optional({ key: 'age_gated', label: 'Only for adults', input: 'boolean' }),
  optional(text('additional_information', 'Anything else')),
];
