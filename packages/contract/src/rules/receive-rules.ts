// Receive rules: who may write to an organization or call it, and what happens with mail that fails a check.
import { z } from 'zod';
import { Label } from '../inbox/labels.ts';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';

export const receiveChannels = ['email', 'sms', 'call'] as const;
export type ReceiveChannel = (typeof receiveChannels)[number];
export const receiveActions = ['allow', 'block', 'quarantine'] as const;
export type ReceiveAction = (typeof receiveActions)[number];
/** From the narrowest to the widest. */
export const receiveScopes = ['address', 'number', 'email_domain', 'organization'] as const;
export type ReceiveScope = (typeof receiveScopes)[number];
/** From the narrowest to the widest. */
export const receiveMatches = ['address', 'number', 'domain', 'country', 'everyone'] as const;
export type ReceiveMatch = (typeof receiveMatches)[number];
export const receiveAppliesTo = ['all', 'new', 'reply'] as const;

const Scope = z
  .strictObject({
    kind: z.enum(receiveScopes),
    id: Uuid.nullish().describe('Of the email domain.'),
    value: z.string().max(limits.mailbox_chars).nullish().describe('Your address or number.'),
  })
  .describe('What the message or call is for.')
  .meta({ id: 'ReceiveRuleScope' });
const Match = z
  .strictObject({
    kind: z.enum(receiveMatches),
    value: z
      .string()
      .max(limits.mailbox_chars)
      .nullish()
      .describe('An address, a number, a domain with its subdomains, or two letters of a country.'),
  })
  .describe('Who writes or calls.')
  .meta({ id: 'ReceiveRuleMatch' });

const fields = {
  applies_to: z
    .enum(receiveAppliesTo)
    .describe('Emails: reply is one that answers an email of yours, new is every other one.'),
  action: z
    .enum(receiveActions)
    .describe(
      'block: an email is refused and not stored; a text is stored with the label blocked; a call is declined. quarantine: only emails.',
    ),
  labels: z.array(Label).max(limits.labels).describe('Set on the email or text.'),
  note: z.string().max(500).nullable(),
};

export const ReceiveRule = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    channel: z.enum(receiveChannels),
    scope: Scope,
    match: Match,
    ...fields,
    labels: z.array(z.string()),
    hits: z.int().describe('How often it decided.'),
    last_hit_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'ReceiveRule' });
export type ReceiveRule = z.infer<typeof ReceiveRule>;

const changes = {
  applies_to: fields.applies_to.optional(),
  labels: fields.labels.optional(),
  note: fields.note.optional(),
};

export const ReceiveRuleCreate = z
  .strictObject({
    channel: z.enum(receiveChannels),
    scope: Scope.optional().describe('Default: the organization.'),
    match: Match,
    action: fields.action,
    ...changes,
  })
  .meta({ id: 'ReceiveRuleCreate' });
export type ReceiveRuleCreate = z.output<typeof ReceiveRuleCreate>;

export const ReceiveRulePatch = z
  .strictObject({ action: fields.action.optional(), ...changes })
  .meta({ id: 'ReceiveRulePatch' });
export type ReceiveRulePatch = z.output<typeof ReceiveRulePatch>;

const Treatment = z.enum(['deliver', 'quarantine']);
const treatments = {
  spam: Treatment.describe('Email with the spam verdict FAIL.'),
  unauthenticated: Treatment.describe(
    'Email whose sender is not proven although its domain asks to quarantine or reject such mail.',
  ),
  virus: Treatment.describe('Email with the virus verdict FAIL.'),
};
export const ReceiveSettings = z.strictObject(treatments).meta({ id: 'ReceiveSettings' });
const ReceiveSettingsPatch = z
  .strictObject({
    spam: Treatment.optional(),
    unauthenticated: Treatment.optional(),
    virus: Treatment.optional(),
  })
  .meta({ id: 'ReceiveSettingsPatch' });
export type ReceiveSettingsPatch = z.output<typeof ReceiveSettingsPatch>;
export type ReceiveSettings = z.infer<typeof ReceiveSettings>;
/** Of organizations that never set them; those that existed before the settings have `deliver`. */
export const receive_setting_defaults: ReceiveSettings = {
  spam: 'quarantine',
  unauthenticated: 'quarantine',
  virus: 'quarantine',
};

const example: ReceiveRule = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5ea1',
  organization_id: '00000000-0000-0000-0000-000000000000',
  channel: 'email',
  scope: { kind: 'organization', id: null, value: null },
  match: { kind: 'domain', value: 'example.org' },
  applies_to: 'new',
  action: 'quarantine',
  labels: ['check'],
  note: null,
  hits: 3,
  last_hit_at: '2026-06-06T12:00:00.000Z',
  created_at: '2026-06-01T12:00:00.000Z',
  updated_at: '2026-06-01T12:00:00.000Z',
};
const one = { params: z.strictObject({ receive_rule_id: Uuid }) };

export const receiveRules = defineOperations(
  'receive_rules',
  'Who may write to you or call you, and the quarantine of suspicious mail.',
  {
    list: {
      method: 'GET',
      path: '/v1/receive-rules',
      summary: 'List receive rules, newest first',
      query: z.strictObject({ ...pageQuery, channel: z.enum(receiveChannels).optional() }),
      success: {
        status: 200,
        body: pageOf(ReceiveRule, 'ReceiveRulePage'),
        example: { items: [example], next_cursor: null },
      },
    },
    create: {
      method: 'POST',
      path: '/v1/receive-rules',
      summary: 'Create a receive rule',
      description:
        'One rule decides: that with the narrowest scope, then the narrowest match, then block before quarantine before allow. Without one everything is received. It applies on every process within two seconds. A program creates rules that block, and rules that quarantine unless they come before one that blocks; allow needs a person.',
      body: ReceiveRuleCreate,
      body_example: {
        channel: 'email',
        match: { kind: 'domain', value: 'example.org' },
        action: 'quarantine',
        applies_to: 'new',
      },
      success: { status: 201, body: ReceiveRule, example: { ...example, hits: 0, last_hit_at: null } },
      errors: [
        'invalid_receive_rule',
        'receive_rule_exists',
        'too_many_receive_rules',
        'invalid_label',
        'person_required',
      ],
    },
    settings: {
      method: 'GET',
      path: '/v1/receive-rules/settings',
      summary: 'Read what happens with mail that fails a check',
      success: { status: 200, body: ReceiveSettings, example: receive_setting_defaults },
    },
    update_settings: {
      method: 'PATCH',
      path: '/v1/receive-rules/settings',
      summary: 'Change what happens with mail that fails a check',
      body: ReceiveSettingsPatch,
      description: 'A change to deliver needs a person.',
      body_example: { spam: 'quarantine' },
      success: { status: 200, body: ReceiveSettings, example: receive_setting_defaults },
      errors: ['person_required'],
    },
    get: {
      method: 'GET',
      path: '/v1/receive-rules/{receive_rule_id}',
      summary: 'Read one receive rule',
      ...one,
      success: { status: 200, body: ReceiveRule, example },
    },
    update: {
      method: 'PATCH',
      path: '/v1/receive-rules/{receive_rule_id}',
      summary: 'Change a receive rule',
      ...one,
      body: ReceiveRulePatch,
      body_example: { action: 'block' },
      success: { status: 200, body: ReceiveRule, example: { ...example, action: 'block' } },
      errors: ['invalid_receive_rule', 'receive_rule_exists', 'invalid_label', 'person_required'],
    },
    delete: {
      method: 'DELETE',
      path: '/v1/receive-rules/{receive_rule_id}',
      summary: 'Delete a receive rule',
      description: 'A program deletes only rules that allow.',
      ...one,
      success: { status: 204 },
      errors: ['person_required'],
    },
  },
);
