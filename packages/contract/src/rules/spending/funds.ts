// Funds: the balance of organizations, and the charges for calls, texts, numbers and inbound mail.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';

export const chargedItems = [
  'call_minute',
  'sms_segment',
  'number_setup',
  'number_month',
  'inbound_email',
] as const;
export type ChargedItem = (typeof chargedItems)[number];

/** A registration with a carrier has no price per unit: its fee is a setting of the server. */
export const ledgerItems = [...chargedItems, 'registration'] as const;
export type LedgerItem = (typeof ledgerItems)[number];

const Micros = z.int().describe('Millionths of the currency.');

export const Balance = z
  .strictObject({
    organization_id: Uuid,
    balance_micros: Micros,
    reserved_micros: Micros.describe(
      'Reserved for calls in progress, in millionths. Charged or released when they end.',
    ),
    available_micros: Micros.describe(
      'The balance minus the reserved amount, available to new calls and texts.',
    ),
    charging: z.boolean().describe('false: this server does not charge (PARLEY_FUNDS=off).'),
  })
  .meta({ id: 'Balance' });
export type Balance = z.infer<typeof Balance>;

export const LedgerEntry = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    kind: z.enum(['credit', 'charge']),
    amount_micros: Micros.describe('Positive for a credit, negative for a charge, in millionths.'),
    balance_micros: Micros.describe('The balance after this entry.'),
    item: z.enum(ledgerItems).nullable(),
    quantity: z.int().nullable(),
    reference: z.string().nullable().describe('The record that was charged, such as the id of a call.'),
    note: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;

const Price = Micros.min(0).max(1_000_000_000);
const priceFields = Object.fromEntries(chargedItems.map((item) => [item, Price])) as Record<
  ChargedItem,
  typeof Price
>;
const pricePatchFields = Object.fromEntries(chargedItems.map((item) => [item, Price.optional()])) as Record<
  ChargedItem,
  z.ZodOptional<typeof Price>
>;
export const Prices = z
  .strictObject(priceFields)
  .describe('The price per unit, in millionths.')
  .meta({ id: 'Prices' });
export type Prices = z.infer<typeof Prices>;
export const PricesPatch = z
  .strictObject(pricePatchFields)
  .describe('Prices that are left out keep their value.')
  .meta({ id: 'PricesPatch' });
export type PricesPatch = z.output<typeof PricesPatch>;

export const CreditCreate = z
  .strictObject({
    amount_micros: Micros.min(-1_000_000_000_000)
      .max(1_000_000_000_000)
      .refine((amount) => amount !== 0, 'Expected an amount other than 0'),
    note: z.string().trim().min(1).max(limits.name_chars).nullish(),
    reference: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('Your reference for this payment. A repeated reference is credited only once.'),
  })
  .meta({ id: 'CreditCreate' });
export type CreditCreate = z.output<typeof CreditCreate>;

const organization_id = '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71';
const balance: Balance = {
  organization_id,
  balance_micros: 24_000_000,
  reserved_micros: 50_000,
  available_micros: 23_950_000,
  charging: true,
};
const credit: LedgerEntry = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e78',
  organization_id,
  kind: 'credit',
  amount_micros: 25_000_000,
  balance_micros: 25_000_000,
  item: null,
  quantity: null,
  reference: 'invoice-17',
  note: 'Paid by transfer',
  created_at: '2026-06-06T12:00:00.000Z',
};
const prices: Prices = {
  call_minute: 50_000,
  sms_segment: 10_000,
  number_setup: 0,
  number_month: 1_500_000,
  inbound_email: 1000,
};
const ledgerPage = {
  status: 200,
  body: pageOf(LedgerEntry, 'LedgerEntryPage'),
  example: { items: [credit], next_cursor: null },
} as const;
const one = { access: 'superadmin', params: z.strictObject({ organization_id: Uuid }) } as const;

export const funds = defineOperations('funds', 'The balance and the charges of your organization.', {
  balance: {
    method: 'GET',
    path: '/v1/funds',
    summary: 'Get the balance',
    success: { status: 200, body: Balance, example: balance },
  },
  ledger: {
    method: 'GET',
    path: '/v1/funds/ledger',
    summary: 'List credits and charges, newest first',
    query: z.strictObject(pageQuery),
    success: ledgerPage,
  },
  organization_balance: {
    method: 'GET',
    path: '/v1/admin/organizations/{organization_id}/funds',
    summary: 'Get the balance of an organization',
    ...one,
    success: { status: 200, body: Balance, example: balance },
  },
  organization_ledger: {
    method: 'GET',
    path: '/v1/admin/organizations/{organization_id}/funds/ledger',
    summary: 'List credits and charges of an organization',
    ...one,
    query: z.strictObject(pageQuery),
    success: ledgerPage,
  },
  credit: {
    method: 'POST',
    path: '/v1/admin/organizations/{organization_id}/funds/credits',
    summary: 'Credit an organization',
    description:
      'A negative amount is a debit. A repeated reference is credited only once. On a server with an operator key the shared key only debits.',
    ...one,
    body: CreditCreate,
    body_example: { amount_micros: 25_000_000, note: 'Paid by transfer', reference: 'invoice-17' },
    success: { status: 201, body: LedgerEntry, example: credit },
    errors: ['person_required'],
  },
  prices: {
    method: 'GET',
    path: '/v1/admin/prices',
    summary: 'Get the price table',
    access: 'superadmin',
    success: { status: 200, body: Prices, example: prices },
  },
  update_prices: {
    method: 'PATCH',
    path: '/v1/admin/prices',
    summary: 'Change prices',
    description:
      'Budgets count money by them. On a server with an operator key the shared key does not change them.',
    access: 'superadmin',
    body: PricesPatch,
    body_example: { sms_segment: 10_000 },
    success: { status: 200, body: Prices, example: prices },
    errors: ['person_required'],
  },
});
