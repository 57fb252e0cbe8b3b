// Email suppressions: addresses to which no email is sent.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';
import { readAddress, rule } from '../../schema/mailbox.ts';

export const suppressionReasons = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const;

export const EmailSuppression = z
  .strictObject({
    id: Uuid,
    recipient: z.string(),
    channel: z.literal('email'),
    reason: z.enum(suppressionReasons),
    source: z.string().describe('api, or the kind of report that caused the suppression.'),
    created_at: Timestamp,
  })
  .meta({ id: 'EmailSuppression' });
export type EmailSuppression = z.infer<typeof EmailSuppression>;

const example: EmailSuppression = {
  id: '019a8c1e-8e40-7b70-a1c3-6e7f80911240',
  recipient: 'bob@example.org',
  channel: 'email',
  reason: 'hard_bounce',
  source: 'bounce_report',
  created_at: '2026-06-06T12:00:00.000Z',
};

export const EmailSuppressionCreate = z
  .strictObject({
    recipient: z
      .string()
      .max(limits.email_address_chars)
      .transform((text, context) => {
        const address = readAddress(text.trim());
        if (address) return address;
        context.addIssue({
          code: 'custom',
          ...rule('invalid_email_address', 'Expected one address without a display name'),
        });
        return z.NEVER;
      })
      .meta({ json_schema: { type: 'string', maxLength: limits.email_address_chars } })
      .describe('One address, without a display name.'),
    reason: z.enum(['manual', 'unsubscribe', 'complaint', 'hard_bounce']).optional(),
  })
  .meta({ id: 'EmailSuppressionCreate' });

export const emailSuppressions = defineOperations(
  'email_suppressions',
  'Addresses that bounced permanently, complained or unsubscribed, or that you added. Emails to them are rejected.',
  {
    create: {
      method: 'POST',
      path: '/v1/email-suppressions',
      summary: 'Stop sending to an address',
      description: 'If the address is already suppressed, the existing entry is returned.',
      body: EmailSuppressionCreate,
      body_example: { recipient: 'bob@example.org' },
      success: {
        status: 201,
        body: EmailSuppression,
        example: { ...example, reason: 'manual', source: 'api' },
      },
      errors: ['invalid_email_address'],
    },
    list: {
      method: 'GET',
      path: '/v1/email-suppressions',
      summary: 'List suppressed addresses, newest first',
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(EmailSuppression, 'EmailSuppressionPage'),
        example: { items: [example], next_cursor: null },
      },
    },
    delete: {
      method: 'DELETE',
      path: '/v1/email-suppressions/{suppression_id}',
      summary: 'Allow sending to an address again',
      description:
        'People delete every entry; programs a manual one that a program added, and others after the recipient wrote an email again.',
      params: z.strictObject({ suppression_id: Uuid }),
      success: { status: 204 },
      errors: ['person_required'],
    },
  },
);
