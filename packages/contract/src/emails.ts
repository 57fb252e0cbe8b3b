// Emails: sending, replying and reading, with timeline and statistics.
import { z } from 'zod';
import {
  Email,
  EmailListItem,
  EmailPreview,
  EmailTimeline,
  EmailWait,
  emailDirections,
  emailExample,
  emailLifecycle,
  emailListItemExample,
  inboundEmailExample,
} from './email-records.ts';
import { EmailStatistics, emailStatisticsExample, statisticsBuckets } from './email-statistics.ts';
import { Consent, exceedsBytes, pageOf, pageQuery, Uuid, waitQuery } from './fields.ts';
import { sendingFields } from './hold.ts';
import { limits } from './limits.ts';
import { MailboxText, mailbox_schema, QueryAddress, rule } from './mailbox.ts';
import { defineOperations } from './operation.ts';

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

const EmailView = z
  .enum(['full', 'text'])
  .optional()
  .describe(
    'text: body_html is left out, and body_text contains the readable text of an email that has only HTML, without markup and hidden text. Default: full.',
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

const one = { params: z.strictObject({ email_id: Uuid }) };

/** Accepts any UTC offset; the service itself always returns UTC. */
const QueryTime = z.iso
  .datetime({ offset: true, error: 'Expected a time such as 2026-06-06T12:00:00Z', abort: true })
  .refine(
    (text) => Date.parse(text) >= 0 && Date.parse(text) < Date.UTC(2200),
    'Expected a time between the years 1970 and 2200',
  );

const sendErrors = [
  'consent_required',
  'invalid_email_address',
  'invalid_header_text',
  'html_too_deep',
  'header_not_allowed',
  'too_many_headers',
  'metadata_too_large',
  'too_many_recipients',
  'unsubscribe_needs_one_recipient',
  'no_sending_domain',
  'from_not_allowed',
  'recipient_suppressed',
  'attachment_not_found',
  'attachment_expired',
  'attachments_too_large',
  'reply_target_not_found',
  'velocity_capped',
  'kill_switch',
  'email_send_failed',
  'email_unconfirmed',
  'email_not_allowed',
  'mail_not_configured',
  'invalid_schedule',
] as const;

export const emails = defineOperations('emails', 'Send and read email.', {
  create: {
    method: 'POST',
    path: '/v1/emails',
    summary: 'Send an email',
    description:
      'Responds when the mail transport has accepted the message (201, sent) or rejected it (502). A failed email is stored and listed with status failed. With the code email_unconfirmed the message may have been delivered: do not send it again before GET /v1/emails/{email_id} shows its final status.',
    body: EmailCreate,
    body_example: {
      recipient_consent: true,
      to: ['bob@example.org'],
      subject: 'Your order',
      body_text: 'It left our house this morning.',
    },
    idempotent: true,
    success: { status: 201, body: Email, example: emailExample },
    errors: sendErrors,
  },
  list: {
    method: 'GET',
    path: '/v1/emails',
    summary: 'List emails, newest first',
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(emailLifecycle.states).optional(),
      direction: z.enum(emailDirections).optional(),
      conversation_id: Uuid.optional(),
    }),
    success: {
      status: 200,
      body: pageOf(EmailListItem, 'EmailPage'),
      example: { items: [emailListItemExample], next_cursor: null },
    },
  },
  stats: {
    method: 'GET',
    path: '/v1/emails/stats',
    summary: 'Count emails by outcome',
    description: `Every bucket between from and to is present, in UTC. At most ${limits.statistics_days} days by day and ${limits.statistics_hour_days} days by hour. Default: the last 30 days. If from equals to, there is no bucket and all counts are 0.`,
    query: z.strictObject({
      from: QueryTime.optional().describe('Start of the range (inclusive).'),
      to: QueryTime.optional().describe('End of the range (exclusive). Default: now.'),
      bucket: z
        .enum(statisticsBuckets)
        .optional()
        .transform((value) => value ?? 'day')
        .meta({ json_schema: { type: 'string', enum: [...statisticsBuckets], default: 'day' } }),
    }),
    success: { status: 200, body: EmailStatistics, example: emailStatisticsExample },
    errors: ['invalid_time_range'],
  },
  wait: {
    method: 'GET',
    path: '/v1/emails/wait',
    summary: 'Wait for an inbound email',
    description:
      'Responds as soon as an email matches, including one that arrived after "since" and before this request. Returns null when the time is up.',
    query: z.strictObject({
      to: QueryAddress.optional().describe('Only emails to this address.'),
      from: QueryAddress.optional().describe('Only emails from this address.'),
      conversation_id: Uuid.optional(),
      view: EmailView,
      ...waitQuery('emails'),
    }),
    success: { status: 200, body: EmailWait, example: { email: inboundEmailExample, code: null } },
    errors: ['invalid_email_address', 'too_many_waiters'],
  },
  get: {
    method: 'GET',
    path: '/v1/emails/{email_id}',
    summary: 'Read one email',
    ...one,
    query: z.strictObject({ view: EmailView }),
    success: { status: 200, body: Email, example: emailExample },
  },
  reply: {
    method: 'POST',
    path: '/v1/emails/{email_id}/reply',
    summary: 'Reply to an email in its conversation',
    description:
      'Sent to the sender of the email (for one of your own emails: to its recipients), with In-Reply-To and References set.',
    ...one,
    body: EmailReply,
    body_example: { recipient_consent: true, body_text: 'Thank you, that is all.' },
    idempotent: true,
    success: {
      status: 201,
      body: Email,
      example: { ...emailExample, subject: 'Re: Your order', in_reply_to: '<reply-1@example.org>' },
    },
    errors: sendErrors,
  },
  events: {
    method: 'GET',
    path: '/v1/emails/{email_id}/events',
    summary: 'List the timeline of an email, oldest first',
    ...one,
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: EmailTimeline,
      example: {
        items: [
          {
            id: '019a8c1e-8d20-7b57-a1c3-6e7f80911225',
            kind: 'delivered',
            occurred_at: '2026-06-06T12:00:00.120Z',
            detail: { recipients: ['bob@example.org'] },
          },
        ],
        next_cursor: null,
      },
    },
  },
  preview: {
    method: 'GET',
    path: '/v1/emails/{email_id}/preview',
    summary: 'Get a URL that shows the HTML body safely',
    description:
      'For a frame in your own page: scripts cannot run, and nothing is loaded from other servers unless remote_images is true. The URL works for a few minutes and needs no credential.',
    ...one,
    query: z.strictObject({
      remote_images: z
        .enum(['true', 'false'])
        .optional()
        .describe(
          'Whether images are loaded from other servers, which can show the sender that the email was opened. Default: false.',
        ),
    }),
    success: {
      status: 200,
      body: EmailPreview,
      example: {
        url: 'http://127.0.0.1:8080/mail-previews/019a8c1e-7b10-7d30-9a55-3f2e1d0c9b8a?images=off&expires=1780747800&signature=c2lnbmF0dXJl',
        expires_at: '2026-06-06T12:10:00.000Z',
      },
    },
  },
  raw: {
    method: 'GET',
    path: '/v1/emails/{email_id}/raw',
    summary: 'Download the raw message',
    ...one,
    success: { status: 302 },
  },
  attachment: {
    method: 'GET',
    path: '/v1/emails/{email_id}/attachments/{attachment_id}',
    summary: 'Download an attachment of an email, or an unreadable report from its timeline',
    params: z.strictObject({ email_id: Uuid, attachment_id: Uuid }),
    success: { status: 302 },
  },
});
