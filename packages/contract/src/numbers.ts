// Phone numbers: quotes, purchase, release and who answers them.
import { z } from 'zod';
import { E164, PhoneNumber as PhoneNumberText, pageOf, pageQuery, Timestamp, Uuid } from './fields.ts';
import { defineLifecycle } from './lifecycle.ts';
import { defineOperations } from './operation.ts';

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
  .refine((given) => new Set(given).size === given.length, 'Each capability can be named once')
  .describe('What the number must be able to do.');

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
    failure_reason: z.string().nullable().describe('Why the carrier refused the purchase.'),
    is_dedicated: z.boolean().describe('Held by this organization alone; pool numbers are not.'),
    messaging_service_sid: z
      .string()
      .nullable()
      .describe('The carrier’s group of senders, where it has one.'),
    voice_agent_id: Uuid.nullable().describe('The agent that answers calls to the number.'),
    sms_agent_id: Uuid.nullable().describe('The agent that answers texts to the number.'),
    inbound_registered: z
      .boolean()
      .describe('Whether the carrier sends calls and texts of this number here.'),
    monthly_cents: z.number().int().nullable().describe('Null where the carrier does not tell its price.'),
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
    quote_id: Uuid.describe('Pass it to POST /v1/numbers to buy at this price.'),
    provider: z.string(),
    e164: E164.nullable(),
    pattern: z
      .string()
      .nullable()
      .describe('Shape of the number, where the carrier only names it on purchase.'),
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    capabilities: z.array(z.enum(numberCapabilities)),
    monthly_cents: z.number().int().nullable().describe('Null where the carrier does not tell its price.'),
    setup_cents: z.number().int().nullable(),
    currency: z.string(),
    readiness: z
      .enum(['ready', 'verification_required'])
      .describe('verification_required: buying needs an approved verification for this country and type.'),
    expires_at: Timestamp,
  })
  .meta({ id: 'NumberOffer' });
export type NumberOffer = z.infer<typeof NumberOffer>;

export const NumberOffers = z.strictObject({ offers: z.array(NumberOffer) }).meta({ id: 'NumberOffers' });

export const NumberQuote = z
  .strictObject({
    country_code: CountryCode,
    number_type: z.enum(numberTypes).optional().describe('local when left out.'),
    capabilities: Capabilities.optional().describe(
      'What the number must be able to do; voice and sms when left out.',
    ),
  })
  .meta({ id: 'NumberQuote' });
export type NumberQuote = z.output<typeof NumberQuote>;

export const NumberPurchase = z
  .strictObject({
    country_code: CountryCode,
    quote_id: Uuid.nullish().describe('The offer to take. Without it the first number that fits is bought.'),
    number_type: z.enum(numberTypes).nullish(),
    capabilities: Capabilities.nullish(),
    e164: PhoneNumberText.nullish().describe('The exact number to buy.'),
  })
  .meta({ id: 'NumberPurchase' });
export type NumberPurchase = z.output<typeof NumberPurchase>;

export const NumberPatch = z
  .strictObject({ voice_agent_id: Uuid.nullish(), sms_agent_id: Uuid.nullish() })
  .describe('A field left out keeps its value; null detaches the agent.')
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
  is_dedicated: true,
  messaging_service_sid: null,
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

export const numbers = defineOperations('numbers', 'Phone numbers of your own.', {
  quote: {
    method: 'POST',
    path: '/v1/numbers/quotes',
    summary: 'Ask which numbers can be bought, and for how much',
    description: 'An offer holds its price for 10 minutes. It reserves nothing: another buyer may be faster.',
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
      'Answers with provisioning_state active, or pending where the carrier takes its time: then read the number until it is active or failed.',
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
    summary: 'Choose which agent answers',
    ...one,
    body: NumberPatch,
    body_example: { sms_agent_id: null },
    success: { status: 200, body: PhoneNumber, example },
    errors: ['agent_not_found', 'number_not_active'],
  },
  release: {
    method: 'DELETE',
    path: '/v1/numbers/{number_id}',
    summary: 'Give a number back to the carrier',
    description: 'The number stops working at once and may be sold to somebody else.',
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
