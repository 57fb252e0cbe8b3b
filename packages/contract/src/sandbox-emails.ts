// The sandbox’s post: a message that comes in without a mail server, as raw text or by its fields.
import { z } from 'zod';
import { Email, emailVerdicts, inboundEmailExample } from './email-records.ts';
import { limits } from './limits.ts';
import { MailboxText } from './mailbox.ts';
import { defineOperations } from './operation.ts';

const Line = z
  .string()
  .max(limits.email_subject_chars)
  .refine((text) => !/[\r\n]/.test(text), 'Line breaks are not allowed here');
const Verdict = z.enum(emailVerdicts).optional();

export const SandboxInboundEmail = z
  .strictObject({
    raw: z
      .string()
      .min(1)
      .optional()
      .describe('The whole message as a mail server would send it (RFC 5322); instead of the fields below.'),
    from: MailboxText.optional().describe('Who writes; default: somebody@example.org.'),
    to: z
      .array(MailboxText)
      .min(1)
      .max(limits.inbound_recipients)
      .optional()
      .describe(
        'Addresses of yours; default: those that `To` and `Cc` of `raw` name, without `raw` your default address.',
      ),
    cc: z.array(MailboxText).max(limits.inbound_recipients).optional(),
    subject: Line.optional(),
    text: z.string().optional().describe('The words of the message.'),
    html: z.string().optional().describe('The same as a page.'),
    body_text: z.string().optional().describe('Another name for `text`.'),
    body_html: z.string().optional().describe('Another name for `html`.'),
    message_id: Line.optional().describe('Default: a new one.'),
    in_reply_to: Line.optional().describe('The Message-ID of the email that this one answers.'),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,76}$/), Line).optional(),
    attachments: z
      .array(
        z.strictObject({
          filename: Line,
          content_type: Line.optional(),
          content_base64: z.base64(),
        }),
      )
      .max(limits.email_attachments)
      .optional(),
    verdicts: z
      .strictObject({ spam: Verdict, virus: Verdict, spf: Verdict, dkim: Verdict, dmarc: Verdict })
      .optional()
      .describe(
        'What the checks shall have found. Left out: spam and virus as the scanners say, the others DISABLED, for there is no sender to check.',
      ),
  })
  .refine(
    ({ raw, from: _from, to: _to, verdicts: _verdicts, ...fields }) =>
      raw === undefined || Object.values(fields).every((field) => field === undefined),
    'Expected either raw or the fields of a message',
  )
  .refine(
    ({ text, body_text, html, body_html }) =>
      (text === undefined || body_text === undefined) && (html === undefined || body_html === undefined),
    'Expected text or body_text, and html or body_html, not both',
  )
  .meta({ id: 'SandboxInboundEmail' });
export type SandboxInboundEmail = z.output<typeof SandboxInboundEmail>;

export const sandboxEmails = defineOperations(
  'sandbox_emails',
  'Pretend to be the other mail server; only with the sandbox on.',
  {
    receive: {
      method: 'POST',
      path: '/v1/sandbox/inbound-emails',
      summary: 'Let an email come in',
      body: SandboxInboundEmail,
      body_example: { from: 'Bob <bob@example.org>', subject: 'Hello', text: 'Your code is 482913' },
      success: { status: 201, body: Email, example: inboundEmailExample },
      errors: [
        'invalid_email_address',
        'inbound_address_not_yours',
        'inbound_message_refused',
        'storage_quota_exceeded',
      ],
    },
  },
);
