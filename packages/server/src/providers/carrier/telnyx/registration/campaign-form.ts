// The form of a US campaign at Telnyx, and Telnyx's names of its fields.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import { campaign_purpose, item, optional } from '../../requirement-items.ts';
import type { FieldKeys } from './kind.ts';

export const campaign_keys: FieldKeys = {
  usecase: 'use_case',
  subUsecases: 'sub_use_cases',
  description: 'description',
  messageFlow: 'message_flow',
  sample1: 'message_samples',
  sample2: 'message_samples',
  sample3: 'message_samples',
  sample4: 'message_samples',
  sample5: 'message_samples',
  helpMessage: 'help_message',
  helpKeywords: 'help_keywords',
  optinMessage: 'opt_in_message',
  optinKeywords: 'opt_in_keywords',
  optoutMessage: 'opt_out_message',
  optoutKeywords: 'opt_out_keywords',
  embeddedLink: 'has_links',
  embeddedLinkSample: 'link_sample',
  embeddedPhone: 'has_phone_numbers',
  ageGated: 'age_gated',
  directLending: 'direct_lending',
  privacyPolicyLink: 'privacy_policy_url',
  termsAndConditionsLink: 'terms_url',
  termsAndConditions: 'terms_accepted',
};

const list_of_words = 'Words separated by commas.';

/** `use_cases` is null where the verification names its use case already. */
export const campaignForm = (use_cases: Requirement['choices']): Requirement[] => [
  ...(use_cases === null
    ? []
    : [item({ key: 'use_case', label: 'Use case', input: 'choice', choices: use_cases })]),
  optional({
    key: 'sub_use_cases',
    label: 'Parts of a mixed use case',
    description: 'Only for use cases that need parts, such as MIXED.',
    input: 'text_list',
  }),
  ...campaign_purpose,
  item({
    key: 'message_samples',
    label: 'Message samples',
    description: 'Up to 5 texts of at most 255 characters; most use cases need 2.',
    input: 'text_list',
  }),
  item({ key: 'help_message', label: 'Answer to HELP', input: 'text', max_length: 255 }),
  item({ key: 'opt_in_message', label: 'Confirmation of an agreement', input: 'text', max_length: 255 }),
  item({ key: 'opt_out_message', label: 'Answer to STOP', input: 'text', max_length: 255 }),
  optional({
    key: 'help_keywords',
    label: 'Words for help',
    description: list_of_words,
    input: 'text',
    max_length: 255,
  }),
  optional({
    key: 'opt_in_keywords',
    label: 'Words that agree',
    description: list_of_words,
    input: 'text',
    max_length: 255,
  }),
  optional({
    key: 'opt_out_keywords',
    label: 'Words that end it',
    description: list_of_words,
    input: 'text',
    max_length: 255,
  }),
  optional({ key: 'has_links', label: 'Texts contain links', input: 'boolean' }),
  optional({ key: 'link_sample', label: 'A link as in the texts', input: 'url', max_length: 255 }),
  optional({ key: 'has_phone_numbers', label: 'Texts contain phone numbers', input: 'boolean' }),
  optional({ key: 'age_gated', label: 'Only for adults', input: 'boolean' }),
  optional({ key: 'direct_lending', label: 'About loans', input: 'boolean' }),
  optional({ key: 'privacy_policy_url', label: 'Privacy policy', input: 'url', max_length: 255 }),
  optional({ key: 'terms_url', label: 'Terms and conditions', input: 'url', max_length: 255 }),
  item({
    key: 'terms_accepted',
    label: 'You accept the terms of The Campaign Registry',
    input: 'boolean',
  }),
  optional({
    key: 'appeal_reason',
    label: 'What you have changed',
    description: 'After a rejection: Telnyx’s reviewers read it.',
    input: 'text',
    max_length: 2000,
  }),
];
