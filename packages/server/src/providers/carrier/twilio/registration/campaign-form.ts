// The form of a US campaign, with the use cases that Twilio offers to the brand.
import type {
  Requirement,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { RegistrationRequest } from '../../registration.ts';
import { item } from '../../requirement-items.ts';
import { formOf, isYes, listOf, problem, textOf } from './form-items.ts';

export type UseCase = { code: string; name: string; description: string | null };

/** The limits of message samples, in Twilio's description of a campaign. */
const samples = { min: 2, max: 5, min_length: 20, max_length: 1024 };

const optionalText = (key: string, label: string, description: string | null = null) =>
  item({ key, label, description, input: 'text', required: false, min_length: 20, max_length: 320 });
const keywords = (key: string, label: string) =>
  item({ key, label, input: 'text_list', required: false, max_length: 255 });
const yesOrNo = (key: string, label: string) => item({ key, label, input: 'boolean', required: false });
const link = (key: string, label: string) => item({ key, label, input: 'url', required: false });

/** `chosen` is the use case of the request: it is not asked again where Twilio offers it. */
const useCaseItem = (offered: readonly UseCase[], chosen: string | null): Requirement =>
  offered.length === 0
    ? item({
        key: 'use_case',
        label: 'Use case',
        description: "Twilio's code, such as LOW_VOLUME, CUSTOMER_CARE or ACCOUNT_NOTIFICATION.",
        input: 'text',
        max_length: 100,
        required: chosen === null,
      })
    : item({
        key: 'use_case',
        label: 'Use case',
        input: 'choice',
        choices: offered.map(({ code, name }) => ({ value: code, label: name })),
        required: !offered.some(({ code }) => code === chosen),
      });

export const campaignForm = (offered: readonly UseCase[], chosen: string | null): Requirement[] => [
  useCaseItem(offered, chosen),
  item({
    key: 'description',
    label: 'Description',
    description: 'What the texts are for, and who gets them.',
    input: 'text',
    min_length: 40,
    max_length: 4096,
  }),
  item({
    key: 'message_flow',
    label: 'How people agree to get texts',
    description: 'Every way in which they agree, with the address of a form on the web.',
    input: 'text',
    min_length: 40,
    max_length: 2048,
  }),
  item({
    key: 'message_samples',
    label: 'Message samples',
    description: `${samples.min} to ${samples.max} texts of ${samples.min_length} to ${samples.max_length} characters.`,
    input: 'text_list',
  }),
  yesOrNo('has_links', 'Texts contain links'),
  yesOrNo('has_phone_numbers', 'Texts contain phone numbers'),
  optionalText('opt_in_message', 'Answer to an opt-in keyword', 'Needed if people agree with a keyword.'),
  keywords('opt_in_keywords', 'Opt-in keywords'),
  optionalText('opt_out_message', 'Answer to an opt-out keyword'),
  keywords('opt_out_keywords', 'Opt-out keywords'),
  optionalText('help_message', 'Answer to a help keyword'),
  keywords('help_keywords', 'Help keywords'),
  yesOrNo('age_gated', 'Content is only for adults'),
  yesOrNo('direct_lending', 'Content is about loans'),
  link('privacy_policy_url', 'Privacy policy'),
  link('terms_url', 'Terms and conditions'),
];

/** Our key for each of Twilio's fields, in forms and in reasons of a failure. */
const keys: Readonly<Record<string, string>> = {
  UsAppToPersonUsecase: 'use_case',
  Description: 'description',
  MessageFlow: 'message_flow',
  MessageSamples: 'message_samples',
  HasEmbeddedLinks: 'has_links',
  HasEmbeddedPhone: 'has_phone_numbers',
  OptInMessage: 'opt_in_message',
  OptInKeywords: 'opt_in_keywords',
  OptOutMessage: 'opt_out_message',
  OptOutKeywords: 'opt_out_keywords',
  HelpMessage: 'help_message',
  HelpKeywords: 'help_keywords',
  AgeGated: 'age_gated',
  DirectLending: 'direct_lending',
  PrivacyPolicyUrl: 'privacy_policy_url',
  TermsAndConditionsUrl: 'terms_url',
};

const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
const by_plain_name = new Map(
  Object.entries(keys).flatMap(([name, key]) => [
    [plain(name), key],
    [plain(key), key],
  ]),
);

/** Twilio writes fields as MESSAGE_FLOW or message_flow; a sample may have its number. */
export const campaignKey = (name: string): string | null =>
  by_plain_name.get(plain(name)) ?? by_plain_name.get(`${plain(name).replace(/\d+$/, '')}s`) ?? null;

/** Fields that an edit of a campaign takes. */
const editable = [
  'HasEmbeddedLinks',
  'HasEmbeddedPhone',
  'MessageSamples',
  'MessageFlow',
  'Description',
  'AgeGated',
  'DirectLending',
  'PrivacyPolicyUrl',
  'TermsAndConditionsUrl',
];

export function campaignFields(request: RegistrationRequest) {
  const text = (key: string) => textOf(request, key);
  return formOf({
    Description: text('description'),
    MessageFlow: text('message_flow'),
    MessageSamples: listOf(request, 'message_samples'),
    UsAppToPersonUsecase: text('use_case'),
    HasEmbeddedLinks: isYes(request, 'has_links'),
    HasEmbeddedPhone: isYes(request, 'has_phone_numbers'),
    OptInMessage: text('opt_in_message'),
    OptInKeywords: listOf(request, 'opt_in_keywords'),
    OptOutMessage: text('opt_out_message'),
    OptOutKeywords: listOf(request, 'opt_out_keywords'),
    HelpMessage: text('help_message'),
    HelpKeywords: listOf(request, 'help_keywords'),
    AgeGated: isYes(request, 'age_gated'),
    DirectLending: isYes(request, 'direct_lending'),
    PrivacyPolicyUrl: text('privacy_policy_url'),
    TermsAndConditionsUrl: text('terms_url'),
  });
}

export const editFields = (request: RegistrationRequest) =>
  Object.fromEntries(Object.entries(campaignFields(request)).filter(([name]) => editable.includes(name)));

/** Whether an edit can correct everything that Twilio named. */
export const canEdit = (problems: readonly VerificationProblem[]): boolean =>
  problems.every(({ key }) => key === null || editable.some((name) => keys[name] === key));

/** What Twilio would refuse, found before anything is sent. */
export function campaignProblems(request: RegistrationRequest): VerificationProblem[] {
  const given = listOf(request, 'message_samples');
  const fits = (text: string) => text.length >= samples.min_length && text.length <= samples.max_length;
  if (given.length >= samples.min && given.length <= samples.max && given.every(fits)) return [];
  const wanted = `Expected ${samples.min} to ${samples.max} samples of ${samples.min_length} to ${samples.max_length} characters.`;
  return [problem('message_samples', 'invalid', wanted)];
}
