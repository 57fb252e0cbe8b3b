// Builds the items of a registration form; what an item does not say has its usual value.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';

type Item = Pick<Requirement, 'key' | 'label' | 'input'> & Partial<Requirement>;

export const item = (given: Item): Requirement => ({
  description: null,
  required: true,
  sensitive: false,
  choices: null,
  min_length: null,
  max_length: null,
  pattern: null,
  locality: null,
  accepted_documents: null,
  ...given,
});

export const optional = (given: Item): Requirement => item({ required: false, ...given });

/** The two questions that every carrier asks about a US campaign, because The Campaign Registry does. */
export const campaign_purpose: readonly Requirement[] = [
  item({
    key: 'description',
    label: 'Description',
    description: 'What the texts are for.',
    input: 'text',
    min_length: 40,
    max_length: 4096,
  }),
  item({
    key: 'message_flow',
    label: 'How people agree to get texts',
    input: 'text',
    min_length: 40,
    max_length: 2048,
  }),
];
