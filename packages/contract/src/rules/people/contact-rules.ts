// Contact rules: what must be true before somebody may be contacted, and how far a STOP applies.
import { z } from 'zod';
import { CountryCode } from '../../channels/numbers/numbers.ts';
import { defineOperations } from '../../operation.ts';

export const consentModes = ['warrant', 'recorded'] as const;
export type ConsentMode = (typeof consentModes)[number];
export const stopScopes = ['channel', 'phone', 'all'] as const;
export type StopScope = (typeof stopScopes)[number];

const ruleFields = {
  consent: z
    .enum(consentModes)
    .describe(
      'warrant: recipient_consent in the request is enough. recorded: an active consent for the recipient, the channel and the purpose must exist as well; see POST /v1/consents.',
    ),
  stop_scope: z
    .enum(stopScopes)
    .describe(
      'What a person who says stop is no longer sent. channel: only this channel. phone: after a text or in a call, texts and calls to that number. all: also every other number and address of the same contact.',
    ),
  new_recipients_per_day: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .describe(
      'How many new recipients each channel may contact per day (UTC); above it 429 new_recipient_capped. New: no contact that a person vouched for, and nothing was exchanged in 365 days. null: no limit.',
    ),
  messages_per_person_per_day: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .describe(
      'How many messages or calls one person gets per day (UTC) and channel without answering in between; above it 429 recipient_capped. null: no limit.',
    ),
  destinations: z
    .array(CountryCode)
    .min(1)
    .max(300)
    .nullable()
    .describe(
      'Only numbers of these countries are called and texted, within those that the server allows. null: no narrower than the server.',
    ),
};

export const ContactRules = z
  .strictObject({
    version: z.int().describe('Grows with every change of the rules for sending.'),
    ...ruleFields,
    destinations: z
      .array(z.string())
      .nullable()
      .describe('Countries of numbers that may be called and texted; null: as the server allows.'),
  })
  .meta({ id: 'ContactRules' });
export type ContactRules = z.output<typeof ContactRules>;

/** Apply while an organization has not set a rule. */
export const contact_rule_defaults: Omit<ContactRules, 'version'> = {
  consent: 'warrant',
  stop_scope: 'phone',
  new_recipients_per_day: null,
  messages_per_person_per_day: null,
  destinations: null,
};

export const ContactRulesSet = z
  .strictObject({
    consent: ruleFields.consent.optional(),
    stop_scope: ruleFields.stop_scope.optional(),
    new_recipients_per_day: ruleFields.new_recipients_per_day.optional(),
    messages_per_person_per_day: ruleFields.messages_per_person_per_day.optional(),
    destinations: ruleFields.destinations.optional(),
  })
  .describe('Replaces the rules: a field that is left out gets its default.')
  .meta({ id: 'ContactRulesSet' });
export type ContactRulesSet = z.output<typeof ContactRulesSet>;

const example: ContactRules = { version: 3, ...contact_rule_defaults, consent: 'recorded' };

export const contactRules = defineOperations(
  'contact_rules',
  'What must be true before somebody may be contacted, and how far a STOP applies.',
  {
    get: {
      method: 'GET',
      path: '/v1/contact-rules',
      summary: 'Read the contact rules',
      success: { status: 200, body: ContactRules, example },
    },
    set: {
      method: 'PUT',
      path: '/v1/contact-rules',
      summary: 'Replace the contact rules',
      description:
        'Only owners and admins who are signed in, or the operator key. They apply on every process within a second, also to records that wait.',
      body: ContactRulesSet,
      body_example: { consent: 'recorded', stop_scope: 'phone' },
      success: { status: 200, body: ContactRules, example },
      errors: ['person_required'],
    },
  },
);
