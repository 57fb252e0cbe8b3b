// Email attachments: files that are uploaded once and can be used in many emails.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';

const fields = {
  id: Uuid,
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.number().int(),
  sha256: z.string().describe('SHA-256 of the content, in hexadecimal.'),
  created_at: Timestamp,
  expires_at: Timestamp.describe(
    'The upload is deleted at this time. Each email that uses it moves the time forward.',
  ),
};

export const EmailAttachment = z.strictObject(fields).meta({ id: 'EmailAttachment' });
export type EmailAttachment = z.infer<typeof EmailAttachment>;

export const EmailAttachmentUpload = z
  .strictObject({
    ...fields,
    attachments: z
      .array(EmailAttachment)
      .describe('Every file of the upload. The fields above describe the first file.'),
  })
  .meta({ id: 'EmailAttachmentUpload' });

const example: EmailAttachment = {
  id: '019a8c1e-8b30-7b60-a1c3-6e7f80911230',
  filename: 'invoice.pdf',
  content_type: 'application/pdf',
  size_bytes: 48213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  created_at: '2026-06-06T12:00:00.000Z',
  expires_at: '2026-07-06T12:00:00.000Z',
};

export const emailAttachments = defineOperations('email_attachments', 'Files to attach to emails.', {
  upload: {
    method: 'POST',
    path: '/v1/email-attachments',
    summary: 'Upload a file to attach to emails',
    description: 'Send one or more parts named "file". The id can be used in many emails.',
    upload: { field: 'file', description: 'The file.' },
    success: {
      status: 201,
      body: EmailAttachmentUpload,
      example: { ...example, attachments: [example] },
    },
    errors: ['file_missing', 'too_many_files', 'attachment_too_large', 'malformed_upload'],
  },
});
