// Consents: the ledger of who agreed to be contacted, on which channels, for what, and with which proof.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { PhoneNumber, pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';
import { readAddress } from '../../schema/mailbox.ts';
import { purposes } from '../approvals/hold.ts';

export const consentChannels = ['call', 'email', 'sms'] as const;
export type ConsentChannel = (typeof consentChannels)[number];
export const consentBases = [
  'express',
  'express_written',
  'inbound_message',
  'contract',
  'legitimate_interest',
  'warranted',
] as const;
export type ConsentBasis = (typeof consentBases)[number];
export const consentStates = ['active', 'revoked', 'expired'] as const;
export const revocationKinds = [
  'keyword',
  'person_page',
  'unsubscribe',
  'agent',
  'api',
  'complaint',
] as const;
export type RevocationKind = (typeof revocationKinds)[number];

/** A phone number as people write it becomes E.164; an address keeps its spelling. */
const readRecipient = (text: string): string | null => {
  if (text.includes('@')) return readAddress(text);
  const number = PhoneNumber.safeParse(text);
  return number.success ? number.data : null;
};
const recipientOf = (read: (text: string) => string | null) =>
  z
    .string()
    .max(limits.email_address_chars)
    .transform((text, context): string => {
      const recipient = read(text);
      if (recipient !== null) return recipient;
      context.addIssue({
        code: 'custom',
        message: 'Expected a phone number with its country code, or one email address',
      });
      return z.NEVER;
    })
    .meta({ json_schema: { type: 'string', maxLength: limits.email_address_chars } });

export const Recipient = recipientOf((text) => readRecipient(text.trim())).describe(
  'A phone number with its country code, or one email address.',
);
/** An unencoded plus sign in a query string arrives as a space. */
const QueryRecipient = recipientOf((text) => readRecipient(text.replaceAll(/^ | (?=.*@)/g, '+'))).describe(
  'A phone number with its country code, or one email address; encode + as %2B.',
);

const distinct = <T extends string>(values: readonly [T, ...T[]]) =>
  z
    .array(z.enum(values))
    .min(1)
    .max(values.length)
    .refine((list) => new Set(list).size === list.length, { message: 'Expected each value once' });

const ConsentSource = z
  .strictObject({
    kind: z.enum(['web_form', 'verbal', 'paper', 'import', 'inbound', 'api']),
    url: z.string().max(2000).nullish().describe('The page with the form.'),
    ip: z.string().max(64).nullish().describe('The address that the form was sent from.'),
    text_shown: z.string().max(2000).nullish().describe('What the person read or heard before agreeing.'),
    captured_at: z.iso.datetime({ offset: true }).nullish().describe('When the person agreed.'),
  })
  .meta({ id: 'ConsentSource' });

const shared = {
  channels: distinct(consentChannels),
  purposes: distinct(purposes),
  basis: z.enum(consentBases),
  source: ConsentSource,
};

export const RevokedBy = z
  .strictObject({
    kind: z
      .enum(revocationKinds)
      .describe(
        'keyword: a text such as STOP. agent: said to an agent. unsubscribe, complaint: about an email.',
      ),
    item_id: Uuid.nullable().describe('The text, call or email that it was said in or is about.'),
    conversation_id: Uuid.nullable().describe('Where an agent was told.'),
    quote: z.string().nullable().describe('What the person said to an agent, as proof.'),
  })
  .meta({ id: 'ConsentRevokedBy' });
export type RevokedBy = z.output<typeof RevokedBy>;

export const Consent = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    recipient: z.string(),
    ...shared,
    proof_attachment_id: Uuid.nullable(),
    expires_at: Timestamp.nullable(),
    status: z.enum(consentStates).describe('revoked: on all its channels.'),
    recorded_by: z
      .string()
      .nullable()
      .describe('The credential that recorded it; null when the service did, because of an inbound message.'),
    created_at: Timestamp,
    revoked_channels: z.array(z.enum(consentChannels)),
    revoked_at: Timestamp.nullable(),
    revoked_by: RevokedBy.nullable(),
  })
  .meta({ id: 'Consent' });
export type Consent = z.output<typeof Consent>;

export const ConsentCreate = z
  .strictObject({
    recipient: Recipient,
    ...shared,
    proof_attachment_id: Uuid.nullish().describe(
      'A file of POST /v1/email-attachments that proves it, such as a signed form. It is kept with the consent.',
    ),
    expires_at: z.iso.datetime({ offset: true }).nullish().describe('Null: it does not expire.'),
  })
  .superRefine(({ recipient, channels }, context) => {
    const is_email = recipient.includes('@');
    if (channels.some((channel) => (channel === 'email') !== is_email))
      context.addIssue({
        code: 'custom',
        path: ['channels'],
        message: is_email ? 'Expected email for an email address' : 'Expected call or sms for a phone number',
      });
  })
  .meta({ id: 'ConsentCreate' });
export type ConsentCreate = z.output<typeof ConsentCreate>;

export const ConsentCheck = z
  .strictObject({
    allowed: z.boolean(),
    consent_id: Uuid.nullable().describe('The active consent; null when there is none.'),
    reason: z
      .enum(['consent', 'warrant', 'suppressed', 'not_recorded'])
      .describe(
        'consent: an active consent. warrant: the contact rules ask only for recipient_consent in the request. suppressed: the person must not be contacted on this channel. not_recorded: the contact rules ask for a consent, and there is none.',
      ),
  })
  .meta({ id: 'ConsentCheck' });
export type ConsentCheck = z.output<typeof ConsentCheck>;

export const suspicionDecisions = ['revoked', 'dismissed'] as const;
export type SuspicionDecision = (typeof suspicionDecisions)[number];

export const SuspectedRevocation = z
  .strictObject({
    id: Uuid,
    recipient: z.string(),
    channel: z.enum(['email', 'sms']),
    item_id: Uuid.describe('The text or email with the words.'),
    suspected_at: Timestamp,
    decision: z
      .enum(suspicionDecisions)
      .nullable()
      .describe('revoked: the person must not be contacted. dismissed: it was no refusal. null: open.'),
    decided_at: Timestamp.nullable(),
    decided_by: z
      .string()
      .nullable()
      .describe('The credential; null when the person refused clearly later, or while it is open.'),
  })
  .meta({ id: 'SuspectedRevocation' });
export type SuspectedRevocation = z.output<typeof SuspectedRevocation>;

const ConsentRevoke = z
  .strictObject({ reason: z.string().trim().max(500).nullish().describe('For the audit log.') })
  .meta({ id: 'ConsentRevoke' });

export const consentExample: Consent = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5ea0',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  recipient: '+14155550123',
  channels: ['sms', 'call'],
  purposes: ['conversational'],
  basis: 'express',
  source: {
    kind: 'web_form',
    url: 'https://example.com/contact',
    ip: '192.0.2.1',
    text_shown: 'I agree to texts and calls about my order.',
    captured_at: '2026-06-06T11:59:00Z',
  },
  proof_attachment_id: null,
  expires_at: null,
  status: 'active',
  recorded_by: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70',
  created_at: '2026-06-06T12:00:00.000Z',
  revoked_channels: [],
  revoked_at: null,
  revoked_by: null,
};
export const suspicionExample: SuspectedRevocation = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5ea1',
  recipient: '+14155550123',
  channel: 'sms',
  item_id: '019a8c1e-7081-7293-84a5-1f2031425364',
  suspected_at: '2026-06-07T12:00:00.000Z',
  decision: null,
  decided_at: null,
  decided_by: null,
};
const { recipient, channels, purposes: for_purposes, basis, source } = consentExample;
const one = { params: z.strictObject({ consent_id: Uuid }) };
const consent_success = { status: 200, body: Consent, example: consentExample } as const;

export const consents = defineOperations(
  'consents',
  'Who agreed to be contacted, on which channels, for what, and with which proof. Entries are never changed or deleted, only revoked.',
  {
    create: {
      method: 'POST',
      path: '/v1/consents',
      summary: 'Record a consent',
      description:
        'An entry with the basis express or express_written also lifts an earlier revocation on its channels. Then it needs a person, or the source kind inbound and a later message or call of the recipient.',
      body: ConsentCreate,
      body_example: { recipient, channels, purposes: for_purposes, basis, source },
      success: { status: 201, body: Consent, example: consentExample },
      errors: ['attachment_not_found', 'person_required'],
    },
    list: {
      method: 'GET',
      path: '/v1/consents',
      summary: 'List consents',
      query: z.strictObject({ ...pageQuery, recipient: QueryRecipient.optional() }),
      success: {
        status: 200,
        body: pageOf(Consent, 'ConsentPage'),
        example: { items: [consentExample], next_cursor: null },
      },
    },
    check: {
      method: 'GET',
      path: '/v1/consents/check',
      summary: 'Find out whether somebody may be contacted',
      description:
        'Suppressions and consents only: other rules, such as quiet hours, are checked when something is sent.',
      query: z.strictObject({
        recipient: QueryRecipient,
        channel: z.enum(consentChannels),
        purpose: z.enum(purposes).optional().describe('Default: conversational.'),
      }),
      success: {
        status: 200,
        body: ConsentCheck,
        example: { allowed: true, consent_id: consentExample.id, reason: 'consent' },
      },
    },
    suspected: {
      method: 'GET',
      path: '/v1/consents/suspected',
      summary: 'List suspected revocations',
      description: 'Open ones, newest first: words that resemble a refusal. Agents do not answer there.',
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(SuspectedRevocation, 'SuspectedRevocationPage'),
        example: { items: [suspicionExample], next_cursor: null },
      },
    },
    decide: {
      method: 'POST',
      path: '/v1/consents/suspected/{suspicion_id}/decide',
      summary: 'Decide whether a person refused',
      description: 'Only people, and the operator key.',
      params: z.strictObject({ suspicion_id: Uuid }),
      body: z.strictObject({ decision: z.enum(suspicionDecisions) }),
      body_example: { decision: 'revoked' },
      success: {
        status: 200,
        body: SuspectedRevocation,
        example: {
          ...suspicionExample,
          decision: 'revoked',
          decided_at: '2026-06-07T13:00:00.000Z',
          decided_by: 'session',
        },
      },
      errors: ['person_required'],
    },
    get: {
      method: 'GET',
      path: '/v1/consents/{consent_id}',
      summary: 'Read one consent',
      ...one,
      success: consent_success,
    },
    proof: {
      method: 'GET',
      path: '/v1/consents/{consent_id}/proof',
      summary: 'Download the file that proves a consent',
      ...one,
      success: { status: 302 },
    },
    revoke: {
      method: 'POST',
      path: '/v1/consents/{consent_id}/revoke',
      summary: 'Revoke a consent',
      description: 'Only this entry. A consent that is already revoked stays as it is.',
      ...one,
      body: ConsentRevoke,
      body_example: { reason: 'Asked for it on the phone' },
      success: {
        status: 200,
        body: Consent,
        example: {
          ...consentExample,
          status: 'revoked',
          revoked_channels: ['call', 'sms'],
          revoked_at: '2026-06-07T12:00:00.000Z',
          revoked_by: { kind: 'api', item_id: null, conversation_id: null, quote: null },
        },
      },
    },
  },
);
