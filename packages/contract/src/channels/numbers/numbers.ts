// Phone numbers: quotes, purchase, release and the agents that handle them.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';
import { Hold } from '../../rules/approvals/hold.ts';
import {
  E164,
  PhoneNumber as PhoneNumberText,
  pageOf,
  pageQuery,
  Timestamp,
  Uuid,
} from '../../schema/fields.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';

export const numberTypes = ['local', 'mobile', 'toll_free', 'national'] as const;
export type NumberType = (typeof numberTypes)[number];
export const numberCapabilities = ['voice', 'sms'] as const;
export type NumberCapability = (typeof numberCapabilities)[number];

export const numberLifecycle = defineLifecycle({
  subject: 'number',
  column: 'provisioning_state',
  initial: 'pending',
  states: ['pending', 'active', 'failed', 'released'],
  moves: {
    provisioned: { from: ['pending'], to: 'active' },
    refused: { from: ['pending'], to: 'failed' },
    released: { from: ['active'], to: 'released' },
  },
});

export const CountryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'Expected a two-letter country code such as US')
  .transform((code) => code.toUpperCase())
  .describe('Two-letter country code (ISO 3166-1), such as US.');

const Capabilities = z
  .array(z.enum(numberCapabilities))
  .min(1)
  .max(numberCapabilities.length)
  .refine((list) => new Set(list).size === list.length, 'Each capability can be listed once')
  .describe('The capabilities the number needs.');

export const smsRegistrationStates = [
  'not_required',
  'unknown',
  'missing',
  'pending',
  'registered',
  'failed',
] as const;
export type SmsRegistrationState = (typeof smsRegistrationStates)[number];

const SmsRegistration = z
  .strictObject({
    state: z.enum(smsRegistrationStates),
    verification_id: Uuid.nullable().describe('The campaign or toll-free verification of the number.'),
    reason: z.string().nullable(),
  })
  .describe('Whether the number is registered for texts to the US, as the carrier reported it last.')
  .meta({ id: 'SmsRegistration' });
export type SmsRegistration = z.infer<typeof SmsRegistration>;

export const PhoneNumber = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    provider: z.string().describe('The carrier that holds the number.'),
    e164: E164,
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    capabilities: z.array(z.enum(numberCapabilities)),
    provisioning_state: z.enum(numberLifecycle.states),
    failure_reason: z.string().nullable().describe('Why it was not bought.'),
    provisioning_detail: z.string().nullable().describe('Why a purchase is still pending at the carrier.'),
    hold: Hold.nullable().describe('Why a pending purchase waits. Only approval holds numbers.'),
    is_dedicated: z.boolean().describe('true: used by this organization only. Pool numbers are shared.'),
    messaging_service_sid: z
      .string()
      .nullable()
      .describe('The carrier’s messaging service or profile that the number is in.'),
    sms_registration: SmsRegistration,
    voice_agent_id: Uuid.nullable().describe('The agent that answers calls to the number.'),
    sms_agent_id: Uuid.nullable().describe('The agent that replies to texts to the number.'),
    inbound_registered: z
      .boolean()
      .describe('true if the carrier delivers calls and texts of this number to this server.'),
    monthly_cents: z.number().int().nullable().describe('null if the carrier does not publish its price.'),
    setup_cents: z.number().int().nullable(),
    currency: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    released_at: Timestamp.nullable(),
  })
  .meta({ id: 'PhoneNumber' });
export type PhoneNumber = z.infer<typeof PhoneNumber>;

export const NumberOffer = z
  .strictObject({
    quote_id: Uuid.describe('Send it to POST /v1/numbers to buy at this price.'),
    provider: z.string(),
    e164: E164.nullable(),
    pattern: z
      .string()
      .nullable()
      .describe('Pattern of the number, if the carrier assigns the number only on purchase.'),
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    capabilities: z.array(z.enum(numberCapabilities)),
    monthly_cents: z.number().int().nullable().describe('null if the carrier does not publish its price.'),
    setup_cents: z.number().int().nullable(),
    currency: z.string(),
    readiness: z
      .enum(['ready', 'verification_required'])
      .describe(
        'verification_required: the purchase needs an approved verification for this country and type.',
      ),
    expires_at: Timestamp,
  })
  .meta({ id: 'NumberOffer' });
export type NumberOffer = z.infer<typeof NumberOffer>;

export const NumberOffers = z.strictObject({ offers: z.array(NumberOffer) }).meta({ id: 'NumberOffers' });

export const NumberQuote = z
  .strictObject({
    country_code: CountryCode,
    number_type: z.enum(numberTypes).optional().describe('Default: local.'),
    capabilities: Capabilities.optional().describe(
      'The capabilities the number needs. Default: voice and sms.',
    ),
  })
  .meta({ id: 'NumberQuote' });
export type NumberQuote = z.output<typeof NumberQuote>;

export const NumberPurchase = z
  .strictObject({
    country_code: CountryCode,
    quote_id: Uuid.nullish().describe(
      'The quote to accept. Without it, the first matching number is bought.',
    ),
    number_type: z.enum(numberTypes).nullish(),
    capabilities: Capabilities.nullish(),
    e164: PhoneNumberText.nullish().describe('The exact number to buy.'),
  })
  .meta({ id: 'NumberPurchase' });
export type NumberPurchase = z.output<typeof NumberPurchase>;

export const NumberPatch = z
  .strictObject({
    voice_agent_id: Uuid.nullish(),
    sms_agent_id: Uuid.nullish(),
    campaign_verification_id: Uuid.nullish().describe('An approved us_campaign that the number joins.'),
  })
  .describe('Fields that are left out keep their value; null detaches.')
  .meta({ id: 'NumberPatch' });
export type NumberPatch = z.output<typeof NumberPatch>;

const example: PhoneNumber = {
  id: '019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f',
  organization_id: '00000000-0000-0000-0000-000000000000',
  provider: 'sandbox',
  e164: '+15005554001',
  country_code: 'US',
  number_type: 'local',
  capabilities: ['voice', 'sms'],
  provisioning_state: 'active',
  failure_reason: null,
  provisioning_detail: null,
  hold: null,
  is_dedicated: true,
  messaging_service_sid: null,
  sms_registration: { state: 'not_required', verification_id: null, reason: null },
  voice_agent_id: null,
  sms_agent_id: null,
  inbound_registered: true,
  monthly_cents: 115,
  setup_cents: 0,
  currency: 'USD',
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
  released_at: null,
};

const offer: NumberOffer = {
  quote_id: '019a8c1e-3c4d-7e5f-8061-7b8c9d0e1f20',
  provider: 'sandbox',
  e164: '+15005554001',
  pattern: null,
  country_code: 'US',
  number_type: 'local',
  capabilities: ['voice', 'sms'],
  monthly_cents: 115,
  setup_cents: 0,
  currency: 'USD',
  readiness: 'ready',
  expires_at: '2026-06-06T12:10:00.000Z',
};

const one = { params: z.strictObject({ number_id: Uuid }) };

export const numbers = defineOperations('numbers', 'Your phone numbers.', {
  quote: {
    method: 'POST',
    path: '/v1/numbers/quotes',
    summary: 'Get quotes for numbers that can be bought',
    description:
      'A quote holds its price for 10 minutes. It does not reserve the number: another buyer may be faster.',
    body: NumberQuote,
    body_example: { country_code: 'US', number_type: 'local', capabilities: ['sms'] },
    success: { status: 201, body: NumberOffers, example: { offers: [offer] } },
    errors: ['country_not_supported', 'number_type_not_supported', 'carrier_unavailable'],
  },
  create: {
    method: 'POST',
    path: '/v1/numbers',
    summary: 'Buy a number',
    description:
      'Returns provisioning_state active, or pending if the carrier needs more time or hold says that a person must approve it: then read the number until it is active or failed.',
    body: NumberPurchase,
    body_example: { country_code: 'US', quote_id: '019a8c1e-3c4d-7e5f-8061-7b8c9d0e1f20' },
    idempotent: true,
    success: { status: 201, body: PhoneNumber, example },
    errors: [
      'insufficient_funds',
      'quote_not_usable',
      'number_taken',
      'no_number_offered',
      'verification_required',
      'country_not_supported',
      'number_type_not_supported',
      'number_purchase_failed',
      'carrier_unavailable',
      'budget_exceeded',
      'not_allowed_by_policy',
      'too_many_approvals',
    ],
  },
  list: {
    method: 'GET',
    path: '/v1/numbers',
    summary: 'List numbers, newest first',
    query: z.strictObject({
      ...pageQuery,
      provisioning_state: z.enum(numberLifecycle.states).optional().describe('Only numbers in this state.'),
    }),
    success: {
      status: 200,
      body: pageOf(PhoneNumber, 'PhoneNumberPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/numbers/{number_id}',
    summary: 'Read one number',
    ...one,
    success: { status: 200, body: PhoneNumber, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/numbers/{number_id}',
    summary: 'Choose the agents and the campaign of a number',
    ...one,
    body: NumberPatch,
    body_example: { sms_agent_id: null },
    success: { status: 200, body: PhoneNumber, example },
    errors: ['agent_not_found', 'number_not_active', 'variable_missing', 'campaign_not_usable'],
  },
  release: {
    method: 'DELETE',
    path: '/v1/numbers/{number_id}',
    summary: 'Release a number to the carrier',
    description:
      'The number stops working immediately and the carrier may sell it to another customer. A purchase that waits for an approval is canceled.',
    ...one,
    success: {
      status: 200,
      body: PhoneNumber,
      example: {
        ...example,
        provisioning_state: 'released',
        inbound_registered: false,
        released_at: '2026-06-07T12:00:00.000Z',
      },
    },
    errors: ['number_not_active', 'carrier_unavailable'],
  },
});
