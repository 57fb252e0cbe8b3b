// Sandbox: receive an email without a mail server, as raw text or from its fields.
import { z } from 'zod';
import {
  dmarcPolicies,
  Email,
  EmailVerdict,
  inboundEmailExample,
} from '../../channels/emails/email-records.ts';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { MailboxText } from '../../schema/mailbox.ts';

const Line = z
  .string()
  .max(limits.email_subject_chars)
  .refine((text) => !/[\r\n]/.test(text), 'Line breaks are not allowed here');
const Verdict = EmailVerdict.optional();

export const SandboxInboundEmail = z
  .strictObject({
    raw: z
      .string()
      .min(1)
      .optional()
      .describe('The whole message as a mail server would send it (RFC 5322), instead of the fields below.'),
    from: MailboxText.optional().describe('The sender. Default: somebody@example.org.'),
    to: z
      .array(MailboxText)
      .min(1)
      .max(limits.inbound_recipients)
      .optional()
      .describe(
        'Your addresses that receive the message. Default: the addresses in `To` and `Cc` of `raw`; without `raw`, your default address.',
      ),
    cc: z.array(MailboxText).max(limits.inbound_recipients).optional(),
    subject: Line.optional(),
    text: z.string().optional().describe('The plain text of the message.'),
    html: z.string().optional().describe('The HTML of the message.'),
    body_text: z.string().optional().describe('Another name for `text`.'),
    body_html: z.string().optional().describe('Another name for `html`.'),
    message_id: Line.optional().describe('Default: generated.'),
    in_reply_to: Line.optional().describe('The Message-ID of the email that this one replies to.'),
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
      .strictObject({
        spam: Verdict,
        virus: Verdict,
        spf: Verdict,
        dkim: Verdict,
        dmarc: Verdict,
        dmarc_policy: z
          .enum(dmarcPolicies)
          .optional()
          .describe('What the domain asks for if DMARC fails. Default: none.'),
      })
      .optional()
      .describe(
        'The results of the checks. Default: spam and virus as reported by the scanners; DISABLED for the others, because there is no sending server to check; without any of spf, dkim and dmarc the sender counts as proven.',
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
  'Simulate another mail server; only with the sandbox on.',
  {
    receive: {
      method: 'POST',
      path: '/v1/sandbox/inbound-emails',
      summary: 'Simulate an inbound email',
      body: SandboxInboundEmail,
      body_example: { from: 'Bob <bob@example.org>', subject: 'Hello', text: 'Your code is 482913' },
      success: { status: 201, body: Email, example: inboundEmailExample },
      errors: ['invalid_email_address', 'inbound_address_not_yours', 'inbound_message_refused'],
    },
  },
);
