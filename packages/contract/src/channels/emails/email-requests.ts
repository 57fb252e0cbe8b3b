// The requests that send an email: a new one, a reply and a forward.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { sendingFields } from '../../rules/approvals/hold.ts';
import { Consent, exceedsBytes, Uuid } from '../../schema/fields.ts';
import { MailboxText, mailbox_schema, rule } from '../../schema/mailbox.ts';

const Line = (max: number) =>
  z
    .string()
    .max(max)
    // A line break would start another header field. Other control characters are not allowed in one (RFC 5322 section
    // 3.2.5).
    .refine(
      (text) => !/(?!\t)\p{Cc}/u.test(text),
      rule('invalid_header_text', 'Line breaks and other control characters are not allowed here'),
    );

const too_many_recipients = rule(
  'too_many_recipients',
  `Expected at most ${limits.email_recipients} recipients in to, cc and bcc together`,
);
/** Counts the entries before parsing them: parsing a body full of addresses would block the process for a second. */
const Recipients = (min: number) =>
  z
    .array(z.unknown())
    .min(min, 'Expected at least one recipient')
    .refine((list) => list.length <= limits.email_recipients, { ...too_many_recipients, abort: true })
    .pipe(z.array(MailboxText))
    .meta({
      json_schema: {
        type: 'array',
        ...(min > 0 ? { minItems: min } : {}),
        maxItems: limits.email_recipients,
        items: mailbox_schema,
      },
    });

/** Headers that the service sets itself, or that change the routing or the structure of the message. */
const reserved_header =
  /^(from|to|cc|bcc|subject|date|message-id|reply-to|sender|return-path|in-reply-to|references|mime-version|received|dkim-signature|authentication-results|list-unsubscribe|list-unsubscribe-post|(content|resent|arc|x-parley)-.*)$/i;

const Headers = z
  .record(z.string(), z.unknown())
  // Counts the entries before parsing them, for the same reason as recipients.
  .refine(
    (headers) => Object.keys(headers).length <= limits.email_headers,
    rule('too_many_headers', `Expected at most ${limits.email_headers} headers`),
  )
  .pipe(z.record(z.string(), Line(limits.email_header_chars)))
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers)) {
      if (/^[A-Za-z0-9][A-Za-z0-9-]{0,75}$/.test(name) && !reserved_header.test(name)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        ...rule(
          'header_not_allowed',
          'The service sets this header itself, or the name is not a valid header name',
        ),
      });
    }
  })
  .meta({
    description: 'Additional header fields, such as X-Ticket.',
    json_schema: {
      type: 'object',
      maxProperties: limits.email_headers,
      additionalProperties: { type: 'string', maxLength: limits.email_header_chars },
    },
  });

export const Metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => !exceedsBytes(JSON.stringify(value), limits.metadata_bytes),
    rule('metadata_too_large', `Expected at most ${limits.metadata_bytes} bytes of JSON`),
  )
  .describe('Your own data, returned unchanged.');

const content = {
  from_name: Line(limits.email_name_chars).nullish().describe('The display name of the sender.'),
  body_text: z.string().nullish().describe('Plain text. Default: generated from body_html.'),
  body_html: z.string().nullish(),
  headers: Headers.nullish(),
  metadata: Metadata.nullish(),
  attachment_ids: z
    .array(Uuid)
    .max(limits.email_attachments)
    .nullish()
    .describe('Ids of uploaded files; see POST /v1/email-attachments.'),
  track_opens: z.boolean().nullish().describe('Default: true for emails with an HTML body.'),
  track_clicks: z.boolean().nullish().describe('Default: true for emails with an HTML body.'),
  list_unsubscribe: z
    .boolean()
    .nullish()
    .describe('Adds one-click unsubscribe (RFC 8058); needs exactly one recipient.'),
  ...sendingFields,
};

type Addressed = { to?: unknown[]; cc?: unknown[] | null | undefined; bcc?: unknown[] | null | undefined };
const countRecipients = ({ to, cc, bcc }: Addressed) =>
  (to?.length ?? 0) + (cc?.length ?? 0) + (bcc?.length ?? 0);
const fewRecipients = [
  (email: Addressed) => countRecipients(email) <= limits.email_recipients,
  too_many_recipients,
] as const;
const oneUnsubscriber = [
  (email: Addressed & { list_unsubscribe?: boolean | null | undefined }) =>
    !email.list_unsubscribe || countRecipients(email) === 1,
  rule('unsubscribe_needs_one_recipient', 'list_unsubscribe needs exactly one recipient'),
] as const;

export const EmailCreate = z
  .strictObject({
    recipient_consent: Consent,
    to: Recipients(1),
    cc: Recipients(0).nullish(),
    bcc: Recipients(0).nullish(),
    subject: Line(limits.email_subject_chars).min(1, 'Expected a subject'),
    from: MailboxText.nullish().describe(
      'An address on one of your verified domains. Default: the default address of the newest one.',
    ),
    email_domain_id: Uuid.nullish().describe('Send from the default address of this domain.'),
    reply_to: MailboxText.nullish(),
    in_reply_to: Line(limits.message_id_chars)
      .nullish()
      .describe('The id of one of your emails, or any Message-ID, that this email replies to.'),
    ...content,
  })
  .refine(...fewRecipients)
  .refine(...oneUnsubscriber)
  .meta({ id: 'EmailCreate' });
export type EmailCreate = z.output<typeof EmailCreate>;

export const EmailReply = z
  .strictObject({
    recipient_consent: Consent,
    reply_all: z.boolean().nullish().describe('Also send to all other recipients of the email.'),
    cc: Recipients(0).nullish(),
    bcc: Recipients(0).nullish(),
    subject: Line(limits.email_subject_chars)
      .min(1)
      .nullish()
      .describe('Default: "Re: " and the subject of the email.'),
    reply_to: MailboxText.nullish(),
    ...content,
  })
  .refine(...fewRecipients)
  .meta({ id: 'EmailReply' });
export type EmailReply = z.output<typeof EmailReply>;

export const forwardForms = ['inline', 'attachment'] as const;

export const EmailForward = z
  .strictObject({
    recipient_consent: Consent,
    to: Recipients(1),
    cc: Recipients(0).nullish(),
    bcc: Recipients(0).nullish(),
    subject: Line(limits.email_subject_chars)
      .min(1)
      .nullish()
      .describe('Default: "Fwd: " and the subject of the email.'),
    from: MailboxText.nullish().describe(
      'An address on one of your verified domains. Default: your address in the email.',
    ),
    reply_to: MailboxText.nullish(),
    as: z
      .enum(forwardForms)
      .nullish()
      .describe(
        'inline: below your own text, with a header that names sender, date and subject. attachment: the unchanged message as a file. Default: inline.',
      ),
    include_attachments: z
      .boolean()
      .nullish()
      .describe('inline: also attach the files of the email. Default: true.'),
    ...content,
    body_text: z.string().nullish().describe('Your own text, above the forwarded one.'),
    body_html: z.string().nullish().describe('Your own text as HTML. Default: made from body_text.'),
  })
  .refine(...fewRecipients)
  .refine(...oneUnsubscriber)
  .meta({ id: 'EmailForward' });
export type EmailForward = z.output<typeof EmailForward>;
