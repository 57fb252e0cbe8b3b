// The storage of an organization: how much it has stored, and how much it may store.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';

export const storageKinds = ['attachments', 'raw_messages', 'recordings', 'documents'] as const;
export type StorageKind = (typeof storageKinds)[number];

const Bytes = z.number().int();

export const OrganizationStorage = z
  .strictObject({
    used_bytes: Bytes,
    max_bytes: Bytes.nullable().describe('The quota, which the operator sets. null: none.'),
    left_bytes: Bytes.nullable().describe('null without a quota.'),
    kinds: z
      .strictObject({
        attachments: Bytes.describe('Uploaded and received files.'),
        raw_messages: Bytes.describe('Emails as they were received or sent.'),
        recordings: Bytes,
        documents: Bytes.describe('Documents of verifications.'),
      })
      .meta({ id: 'StoredBytes' }),
  })
  .meta({ id: 'OrganizationStorage' });
export type OrganizationStorage = z.output<typeof OrganizationStorage>;

export const storage = defineOperations('storage', 'How much is stored, and how much may be.', {
  get: {
    method: 'GET',
    path: '/v1/organization/storage',
    summary: 'Read how many bytes are stored',
    description:
      'At the quota, uploads and requests with files get 507 storage_full, mail is deferred with 452, and calls are not recorded.',
    success: {
      status: 200,
      body: OrganizationStorage,
      example: {
        used_bytes: 7_340_032,
        max_bytes: 1_073_741_824,
        left_bytes: 1_066_401_792,
        kinds: { attachments: 4_194_304, raw_messages: 2_097_152, recordings: 1_048_576, documents: 0 },
      },
    },
  },
});
