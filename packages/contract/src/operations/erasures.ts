// Erasures: everything about one person is removed from all channels and stores.
import { z } from 'zod';
import { limits, nil_uuid } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { Recipient } from '../rules/people/consents.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';

export const erasureStates = ['pending', 'running', 'done', 'failed'] as const;
export const erasureCounts = [
  'emails',
  'sms',
  'calls',
  'recordings',
  'raw_messages',
  'attachments',
  'contacts',
  'conversations',
  'events',
  'deliveries',
  'search_documents',
  'consents',
  'approvals',
  'tool_calls',
  'receipts_unlinked',
  'other_rows',
] as const;
export type ErasureCount = (typeof erasureCounts)[number];
const max_parties = 20;
const max_replayed = 1000;
const max_names = 20;

export const ErasureCounts = z
  .partialRecord(z.enum(erasureCounts), z.number().int())
  .describe('other_rows: rows of other records in which the number, address or name is replaced.')
  .meta({ id: 'ErasureCounts' });

const PersonName = z
  .string()
  .trim()
  .min(2, 'Expected a name')
  .max(limits.contact_name_chars)
  .regex(/\p{L}/u, 'Expected a name with letters');

const PartyHash = z.string().regex(/^hmac:[A-Za-z0-9_-]{43}$/);

export const Erasure = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    status: z.enum(erasureStates).describe('failed: it was tried several times. Create it again.'),
    dry_run: z.boolean(),
    contact_id: Uuid.nullable(),
    keep_suppression: z.boolean(),
    parties: z
      .array(z.string())
      .nullable()
      .describe('The numbers and addresses of the person; null when they are erased.'),
    names: z
      .array(z.string())
      .nullable()
      .describe('The names that are replaced in texts that stay; null when they are erased.'),
    display_names: z
      .array(z.string())
      .nullable()
      .describe(
        'Of a dry run: names that the person wrote mail under. They are replaced in texts only where the address follows them; add the real ones to names.',
      ),
    settings: z
      .array(z.string())
      .nullable()
      .describe(
        'Of a dry run: kinds of settings that name the person, such as agents. They are not changed.',
      ),
    party_hashes: z.array(z.string()).describe('HMACs of the parties, for a replay after a restore.'),
    step: z.string().nullable().describe('What it works on.'),
    counts: ErasureCounts,
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    done_at: Timestamp.nullable(),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.output<typeof Erasure>;

export const ErasureCreate = z
  .strictObject({
    contact_id: Uuid.nullish(),
    parties: z
      .array(Recipient)
      .min(1)
      .max(max_parties)
      .nullish()
      .describe('Numbers and addresses of one person. A contact that has one of them belongs to the person.'),
    names: z
      .array(PersonName)
      .max(max_names)
      .nullish()
      .describe(
        'The names to replace in texts that stay, whole words only. Default: the full names of the contacts. [] replaces none.',
      ),
    keep_suppression: z.boolean().default(true).describe('The person must not be contacted any more.'),
    dry_run: z.boolean().default(false).describe('Only count, and show which names are replaced.'),
  })
  .refine(({ contact_id, parties }) => (contact_id == null) !== (parties == null), {
    message: 'Expected either contact_id or parties',
  })
  .meta({ id: 'ErasureCreate' });
export type ErasureCreate = z.output<typeof ErasureCreate>;

export const erasureExample: Erasure = {
  id: '019a8c1e-f101-7a11-8b22-4c5d6e7f8091',
  organization_id: nil_uuid,
  status: 'done',
  dry_run: false,
  contact_id: null,
  keep_suppression: true,
  parties: null,
  names: null,
  display_names: null,
  settings: null,
  party_hashes: ['hmac:9WXr5o9j3kY7sN2cVb0Zq1TtLxPdGfHuJmEaRiKoQwA'],
  step: null,
  counts: { emails: 4, sms: 2, calls: 1 },
  created_at: '2026-06-06T12:00:00.000Z',
  started_at: '2026-06-06T12:00:00.100Z',
  done_at: '2026-06-06T12:00:02.000Z',
};

export const erasures = defineOperations('erasures', 'Remove a person from all channels and stores.', {
  create: {
    method: 'POST',
    path: '/v1/erasures',
    summary: 'Erase a person',
    description: 'Runs in the background and cannot be undone. Only for owners and admins.',
    body: ErasureCreate,
    body_example: { parties: ['+14155550123', 'ana@example.com'] },
    success: { status: 201, body: Erasure, example: erasureExample },
    errors: ['person_required'],
  },
  list: {
    method: 'GET',
    path: '/v1/erasures',
    summary: 'List erasures, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Erasure, 'ErasurePage'),
      example: { items: [erasureExample], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/erasures/{erasure_id}',
    summary: 'Read one erasure',
    params: z.strictObject({ erasure_id: Uuid }),
    success: { status: 200, body: Erasure, example: erasureExample },
  },
  replay: {
    method: 'POST',
    path: '/v1/erasures/replay',
    summary: 'Erase again after a restore',
    description: 'Erases the people behind the hashes who are in the restored data.',
    body: z.strictObject({
      erasures: z
        .array(
          z.strictObject({
            party_hashes: z.array(PartyHash).min(1).max(max_parties),
            keep_suppression: z.boolean().default(true),
          }),
        )
        .min(1)
        .max(max_replayed),
    }),
    body_example: { erasures: [{ party_hashes: erasureExample.party_hashes }] },
    success: {
      status: 200,
      body: z.strictObject({ items: z.array(Erasure) }).meta({ id: 'ErasureReplay' }),
      example: { items: [erasureExample] },
    },
    errors: ['person_required'],
  },
});
