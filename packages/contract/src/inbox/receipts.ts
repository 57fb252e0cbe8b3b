// Receipts: signed statements about each attempt to contact a person, which can be verified without this server.
import { z } from 'zod';
import { nil_uuid } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';

export const receiptNouns = ['email', 'sms', 'call'] as const;
export type ReceiptNoun = (typeof receiptNouns)[number];

export const Receipt = z
  .strictObject({
    id: Uuid.describe('The claim jti.'),
    organization_id: Uuid,
    seq: z.number().int().describe('Counts the receipts of the organization without gaps.'),
    noun: z.enum(receiptNouns),
    object_id: Uuid,
    jws: z
      .string()
      .describe('JWS compact serialization, EdDSA. The keys: /.well-known/parley-receipts.json.'),
    disclosures: z
      .array(z.strictObject({ salt: z.string(), party: z.string() }))
      .nullable()
      .describe('Who the hashes in to_hash stand for, in their order; null after an erasure.'),
    created_at: Timestamp,
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.infer<typeof Receipt>;

export const ReceiptKey = z
  .strictObject({
    kid: z.string(),
    created_at: Timestamp,
    retired_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReceiptKey' });
export type ReceiptKey = z.infer<typeof ReceiptKey>;

const example: Receipt = {
  id: '019a8c1e-f001-7a11-8b22-4c5d6e7f8091',
  organization_id: nil_uuid,
  seq: 4711,
  noun: 'sms',
  object_id: '019a8c1e-f000-7a11-8b22-4c5d6e7f8091',
  jws: 'eyJhbGciOiJFZERTQSJ9.eyJ2IjoxfQ.c2lnbmF0dXJl',
  disclosures: [{ salt: 'q83vEjRWeJCrze8SNFZ4kA', party: '+15005550001' }],
  created_at: '2026-06-06T12:00:00.000Z',
};

export const receipts = defineOperations(
  'receipts',
  'Signed statements about each attempt to contact a person.',
  {
    list: {
      method: 'GET',
      path: '/v1/receipts',
      summary: 'List receipts, newest first',
      query: z.strictObject({
        ...pageQuery,
        object_id: Uuid.optional().describe('Only the receipts of this email, text or call.'),
      }),
      success: {
        status: 200,
        body: pageOf(Receipt, 'ReceiptPage'),
        example: { items: [example], next_cursor: null },
      },
    },
    get: {
      method: 'GET',
      path: '/v1/receipts/{receipt_id}',
      summary: 'Read one receipt',
      params: z.strictObject({ receipt_id: Uuid }),
      success: { status: 200, body: Receipt, example },
    },
    rotate_key: {
      method: 'POST',
      path: '/v1/admin/receipt-keys',
      summary: 'Sign receipts with a new key',
      description: 'The previous key stays in the key set, so that older receipts can be verified.',
      access: 'superadmin',
      success: {
        status: 201,
        body: ReceiptKey,
        example: {
          kid: 'rZ0pXlDdQeJEtXc1i0mJ6jD5cQmWk8Tq5vJrQ0b0D5A',
          created_at: '2026-06-06T12:00:00.000Z',
          retired_at: null,
        },
      },
    },
  },
);
