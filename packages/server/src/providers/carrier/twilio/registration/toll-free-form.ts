// The form of a toll-free verification at Twilio, and the request that the answers become.
import type {
  Requirement,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { RegistrationRequest } from '../../registration.ts';
import { item } from '../../requirement-items.ts';
import { addressOf, choices, formOf, isYes, listOf, problem, textOf } from './form-items.ts';

const use_cases =
  'TWO_FACTOR_AUTHENTICATION ACCOUNT_NOTIFICATIONS CUSTOMER_CARE CHARITY_NONPROFIT DELIVERY_NOTIFICATIONS FRAUD_ALERT_MESSAGING EVENTS HIGHER_EDUCATION K12 MARKETING POLLING_AND_VOTING_NON_POLITICAL POLITICAL_ELECTION_CAMPAIGNS PUBLIC_SERVICE_ANNOUNCEMENT SECURITY_ALERT'.split(
    ' ',
  );
const opt_in_types = 'VERBAL WEB_FORM PAPER_FORM VIA_TEXT MOBILE_QR_CODE'.split(' ');
const business_types = 'PRIVATE_PROFIT PUBLIC_PROFIT SOLE_PROPRIETOR NON_PROFIT GOVERNMENT'.split(' ');
const authorities =
  'EIN CBN CRN PROVINCIAL_NUMBER VAT ACN ABN BRN SIREN SIRET NZBN USt-IdNr CIF NIF CNPJ UID NEQ OTHER'.split(
    ' ',
  );
const volumes = [
  '10',
  '100',
  '1,000',
  '10,000',
  '100,000',
  '250,000',
  '500,000',
  '750,000',
  '1,000,000',
  '5,000,000',
  '10,000,000+',
];

const text = (key: string, label: string, max_length: number, required = true): Requirement =>
  item({ key, label, input: 'text', max_length, required });
const choice = (key: string, label: string, values: readonly string[], required = true): Requirement =>
  item({ key, label, input: 'choice', choices: choices(values), required });
const link = (key: string, label: string, required = true): Requirement =>
  item({ key, label, input: 'url', required });

/** `chosen` is the use case of the request: it is not asked again where Twilio has it. */
export const tollFreeForm = (chosen: string | null): Requirement[] => [
  text('subject_name', 'Legal name of the company', 200),
  text('doing_business_as', 'Name that the public knows', 200, false),
  link('website', 'Website'),
  item({ key: 'address', label: 'Address of the company', input: 'address' }),
  choice('business_type', 'Company type', business_types),
  item({
    key: 'registration_number',
    label: 'Registration number',
    description: 'Not for a sole proprietor.',
    input: 'text',
    max_length: 100,
    required: false,
  }),
  choice('registration_authority', 'Kind of registration number', authorities, false),
  text('contact_first_name', 'First name of the contact', 100),
  text('contact_last_name', 'Last name of the contact', 100),
  item({ key: 'contact_email', label: 'Email of the contact', input: 'email' }),
  item({ key: 'contact_phone', label: 'Phone number of the contact', input: 'phone' }),
  choice('use_case', 'Use case', use_cases, !use_cases.includes(chosen ?? '')),
  text('use_case_summary', 'What the texts are for', 500),
  text('message_sample', 'Message sample', 1000),
  choice('opt_in_type', 'How people agree to get texts', opt_in_types),
  item({
    key: 'opt_in_image_urls',
    label: 'Pictures of how people agree',
    description: 'Public addresses, for example of a screenshot of the form.',
    input: 'text_list',
  }),
  choice('message_volume', 'Texts per month', volumes),
  text('additional_information', 'Further information', 500, false),
  text('opt_in_message', 'Confirmation after the opt-in', 500, false),
  item({ key: 'opt_in_keywords', label: 'Opt-in keywords', input: 'text_list', required: false }),
  text('help_message', 'Answer to a help keyword', 500, false),
  link('privacy_policy_url', 'Privacy policy', false),
  link('terms_url', 'Terms and conditions', false),
  item({ key: 'age_gated', label: 'Content is only for adults', input: 'boolean', required: false }),
];

/** What a new request and an edit have in common. `notified` is who gets Twilio's messages about it. */
export function tollFreeFields(request: RegistrationRequest, notified: string | null) {
  const answer = (key: string) => textOf(request, key);
  const address = addressOf(request);
  const is_sole = answer('business_type') === 'SOLE_PROPRIETOR';
  return formOf({
    BusinessName: request.subject_name,
    DoingBusinessAs: answer('doing_business_as'),
    BusinessWebsite: answer('website'),
    NotificationEmail: notified ?? answer('contact_email'),
    UseCaseCategories: [answer('use_case') ?? ''],
    UseCaseSummary: answer('use_case_summary'),
    ProductionMessageSample: answer('message_sample'),
    OptInImageUrls: listOf(request, 'opt_in_image_urls'),
    OptInType: answer('opt_in_type'),
    MessageVolume: answer('message_volume'),
    BusinessStreetAddress: address?.street ?? null,
    BusinessCity: address?.city ?? null,
    BusinessStateProvinceRegion: address?.region ?? null,
    BusinessPostalCode: address?.postal_code ?? null,
    BusinessCountry: address?.country_code ?? null,
    AdditionalInformation: answer('additional_information'),
    BusinessContactFirstName: answer('contact_first_name'),
    BusinessContactLastName: answer('contact_last_name'),
    BusinessContactEmail: answer('contact_email'),
    BusinessContactPhone: answer('contact_phone'),
    BusinessType: answer('business_type'),
    BusinessRegistrationNumber: is_sole ? null : answer('registration_number'),
    BusinessRegistrationAuthority: is_sole ? null : answer('registration_authority'),
    BusinessRegistrationCountry: is_sole ? null : (address?.country_code ?? null),
    OptInConfirmationMessage: answer('opt_in_message'),
    OptInKeywords: listOf(request, 'opt_in_keywords'),
    HelpMessageSample: answer('help_message'),
    PrivacyPolicyUrl: answer('privacy_policy_url'),
    TermsAndConditionsUrl: answer('terms_url'),
    AgeGatedContent: isYes(request, 'age_gated'),
  });
}

/** What Twilio would refuse, found before anything is sent. */
export function tollFreeProblems(request: RegistrationRequest): VerificationProblem[] {
  const is_sole = textOf(request, 'business_type') === 'SOLE_PROPRIETOR';
  const needed = is_sole ? [] : ['registration_number', 'registration_authority'];
  const missing = needed
    .filter((key) => textOf(request, key) === null)
    .map((key) => problem(key, 'missing', 'Only a sole proprietor can leave this out.'));
  const images = listOf(request, 'opt_in_image_urls');
  if (images.length > 0 && images.every((url) => /^https?:\/\/\S+$/.test(url))) return missing;
  const wanted = 'Expected at least one public address of a picture.';
  return [...missing, problem('opt_in_image_urls', 'invalid', wanted)];
}
