// Batches: many different emails in one request, sent by the worker.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { Problem } from '../../openapi/openapi-problems.ts';
import { defineOperations } from '../../operation.ts';
import { Hold } from '../../rules/approvals/hold.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { emailExample, emailLifecycle } from './email-records.ts';

export const batchErrorModes = ['reject_all', 'send_valid'] as const;
const states = emailLifecycle.states.filter((state) => state !== 'received');

export const EmailBatchCreate = z
  .strictObject({
    emails: z
      .array(z.unknown())
      .min(1, 'Expected at least one email')
      .max(limits.email_batch)
      // Each email is checked by itself, because with send_valid the others are sent.
      .meta({
        description: 'The emails, each with the fields of POST /v1/emails.',
        json_schema: {
          type: 'array',
          minItems: 1,
          maxItems: limits.email_batch,
          items: { $ref: '#/components/schemas/EmailCreate' },
        },
      }),
    on_error: z
      .enum(batchErrorModes)
      .nullish()
      .describe(
        'reject_all: one email that cannot be sent rejects the whole batch, and nothing is sent. send_valid: the others are sent. Default: reject_all.',
      ),
  })
  .meta({ id: 'EmailBatchCreate' });
export type EmailBatchCreate = z.output<typeof EmailBatchCreate>;

const EmailBatchItem = z
  .strictObject({
    index: z.number().int().describe('The place of the email in the request, from 0.'),
    email_id: Uuid.nullable().describe('null when the email was rejected.'),
    status: z.enum(states).nullable().describe('The present status of the email; null when it was rejected.'),
    hold: Hold.nullable().describe('Why the email waits; null when nothing holds it back.'),
    error: Problem.nullable().describe('Why the email was rejected.'),
  })
  .meta({ id: 'EmailBatchItem' });
export type EmailBatchItem = z.infer<typeof EmailBatchItem>;

export const EmailBatch = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    on_error: z.enum(batchErrorModes),
    created_at: Timestamp,
    accepted: z.number().int().describe('How many emails were stored.'),
    rejected: z.number().int().describe('How many emails were rejected; always 0 with reject_all.'),
    counts: z
      .strictObject(Object.fromEntries(states.map((state) => [state, z.number().int()])) as EmailCounts)
      .describe('How many of the accepted emails have each status now.'),
    items: z.array(EmailBatchItem).describe('One entry per email, in the order of the request.'),
  })
  .meta({ id: 'EmailBatch' });
export type EmailBatch = z.infer<typeof EmailBatch>;
type EmailCounts = Record<(typeof states)[number], z.ZodNumber>;

const example: EmailBatch = {
  id: '019a8c1e-8d40-7b59-a1c3-6e7f80911227',
  organization_id: emailExample.organization_id,
  on_error: 'reject_all',
  created_at: '2026-06-06T12:00:00.000Z',
  accepted: 1,
  rejected: 0,
  counts: { queued: 1, sent: 0, failed: 0, bounced: 0, complained: 0, canceled: 0 },
  items: [{ index: 0, email_id: emailExample.id, status: 'queued', hold: null, error: null }],
};

export const emailBatches = defineOperations('email_batches', 'Send many emails with one request.', {
  create: {
    method: 'POST',
    path: '/v1/email-batches',
    summary: `Send up to ${limits.email_batch} emails`,
    description: `Responds when the emails are stored; they are sent in the background. Follow them with GET /v1/email-batches/{batch_id} or with the email.* events. The body may have ${limits.email_batch_bytes} bytes.`,
    body: EmailBatchCreate,
    body_bytes: limits.email_batch_bytes,
    body_example: {
      emails: [
        {
          recipient_consent: true,
          to: ['bob@example.org'],
          subject: 'Your order',
          body_text: 'It left today.',
        },
      ],
    },
    idempotent: true,
    success: { status: 201, body: EmailBatch, example },
    errors: ['batch_rejected', 'velocity_capped', 'kill_switch', 'mail_not_configured'],
  },
  get: {
    method: 'GET',
    path: '/v1/email-batches/{batch_id}',
    summary: 'Read a batch and the status of its emails',
    params: z.strictObject({ batch_id: Uuid }),
    success: {
      status: 200,
      body: EmailBatch,
      example: {
        ...example,
        counts: { ...example.counts, queued: 0, sent: 1 },
        items: [{ ...example.items[0]!, status: 'sent' }],
      },
    },
  },
});
