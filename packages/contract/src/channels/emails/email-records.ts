// Email records: the email, its list item, its attachments and its timeline.
import { z } from 'zod';
import { holdFields } from '../../rules/approvals/hold.ts';
import { pageOf, Timestamp, Uuid } from '../../schema/fields.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';

export const emailDirections = ['outbound', 'inbound'] as const;
export const emailEndReasons = [
  'smtp_rejected',
  'connection_failed',
  'timeout',
  'provider_error',
  'hard_bounce',
  'unconfirmed',
  'not_allowed',
  'canceled',
  'approval_rejected',
  'approval_expired',
] as const;
export const emailFolders = ['inbox', 'quarantine'] as const;
export const quarantineReasons = ['rule', 'spam', 'unauthenticated', 'virus', 'manual'] as const;
export type QuarantineReason = (typeof quarantineReasons)[number];
export const dmarcPolicies = ['none', 'quarantine', 'reject'] as const;
export type DmarcPolicy = (typeof dmarcPolicies)[number];
export const emailVerdicts = ['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED'] as const;

export const emailLifecycle = defineLifecycle({
  subject: 'email',
  initial: 'queued',
  also_begins_as: ['received'],
  states: ['queued', 'sent', 'failed', 'bounced', 'complained', 'canceled', 'received'],
  moves: {
    accepted: { from: ['queued'], to: 'sent' },
    refused: { from: ['queued'], to: 'failed', emits: 'email.send_failed' },
    canceled: { from: ['queued'], to: 'canceled', emits: 'email.canceled' },
    // Only with end_reason unconfirmed: a delivery report proves that the transport accepted the message. The event of
    // the report is published, so this transition emits none.
    confirmed: { from: ['failed'], to: 'sent' },
    hard_bounced: { from: ['sent'], to: 'bounced', emits: 'email.bounced' },
    complained: { from: ['sent'], to: 'complained', emits: 'email.complained' },
  },
});

/** From the weakest to the strongest: a later report replaces the outcome only if it is not weaker. */
export const emailReportOutcomes = [
  'sent',
  'delivery_delayed',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
] as const;
export const emailOutcomes = ['queued', ...emailReportOutcomes, 'failed', 'canceled'] as const;
export type EmailOutcome = (typeof emailOutcomes)[number];

export const EmailAttachmentLink = z
  .strictObject({
    id: Uuid,
    filename: z.string(),
    content_type: z.string(),
    size_bytes: z.number().int(),
    url: z.string().describe('Redirects to a temporary URL of the content.'),
  })
  .meta({ id: 'EmailAttachmentLink' });
export type EmailAttachmentLink = z.infer<typeof EmailAttachmentLink>;

export const EmailVerdict = z.enum(emailVerdicts).meta({ id: 'EmailVerdict' });
const Verdict = EmailVerdict.nullable();
export const EmailEndReason = z.enum(emailEndReasons).meta({ id: 'EmailEndReason' });
const Outcome = z.enum(emailOutcomes).meta({ id: 'EmailOutcome' });
const Metadata = z.record(z.string(), z.unknown());

export const EmailListItem = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    conversation_id: Uuid,
    email_domain_id: Uuid.nullable(),
    direction: z.enum(emailDirections),
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    cc_addresses: z.array(z.string()),
    bcc_addresses: z.array(z.string()),
    reply_to: z.string().nullable(),
    subject: z.string(),
    status: z.enum(emailLifecycle.states),
    end_reason: EmailEndReason.nullable().describe(
      'Why it failed, bounced or was canceled. unconfirmed: the transport may have accepted the message, but its response was lost. A later delivery report settles it; sending again could deliver the message twice.',
    ),
    last_outcome: Outcome.nullable().describe(
      'Outbound: the strongest outcome known so far, from the timeline. Inbound: null.',
    ),
    provider_message_id: z.string().nullable().describe('The id of the message at the mail transport.'),
    requested_at: Timestamp,
    sent_at: Timestamp.nullable(),
    failed_at: Timestamp.nullable(),
    ...holdFields,
    metadata: Metadata,
    labels: z.array(z.string()),
    folder: z
      .enum(emailFolders)
      .nullable()
      .describe('Inbound: quarantine keeps it from lists, conversations, waits and forwards.'),
    quarantine_reason: z.enum(quarantineReasons).nullable(),
  })
  .meta({ id: 'EmailListItem' });
export type EmailListItem = z.infer<typeof EmailListItem>;

export const Email = z
  .strictObject({
    ...EmailListItem.shape,
    from_name: z.string().nullable(),
    body_text: z.string().nullable(),
    body_html: z.string().nullable(),
    extracted_text: z
      .string()
      .nullable()
      .describe(
        'Inbound: the text that the sender wrote, above, below or between quotations, without quoted messages, signatures and hidden text. The text part as it is, or null without one, if the email is built so that it cannot be read in time.',
      ),
    is_auto_reply: z
      .boolean()
      .describe('Inbound: true for an automatic reply, such as an out-of-office notice.'),
    is_automatic: z
      .boolean()
      .describe(
        'Inbound: true when a program sent it: automatic replies, notices, newsletters, mailing lists, bounces. Agents never answer it.',
      ),
    content_erased_at: Timestamp.nullable().describe(
      'When its content was erased, by retention or with the person.',
    ),
    message_id: z.string().nullable().describe('The Message-ID header, in angle brackets.'),
    in_reply_to: z.string().nullable(),
    references_ids: z.array(z.string()),
    spam_verdict: Verdict,
    virus_verdict: Verdict,
    dkim_verdict: Verdict,
    spf_verdict: Verdict,
    dmarc_verdict: Verdict,
    provider_received_at: Timestamp.nullable(),
    raw_url: z.string().nullable().describe('Redirects to a temporary URL of the raw message.'),
    attachments: z.array(EmailAttachmentLink),
    last_event_at: Timestamp.nullable(),
  })
  .meta({ id: 'Email' });
export type Email = z.infer<typeof Email>;

export const emailExample: Email = {
  id: '019a8c1e-8d20-7b55-a1c3-6e7f80911223',
  organization_id: '00000000-0000-0000-0000-000000000000',
  conversation_id: '019a8c1e-8d20-7b56-a1c3-6e7f80911224',
  email_domain_id: '019a8c1e-8c10-7b50-a1c3-6e7f80911220',
  direction: 'outbound',
  from_address: 'ana+acme@mail.example.com',
  to_addresses: ['bob@example.org'],
  cc_addresses: [],
  bcc_addresses: [],
  reply_to: null,
  subject: 'Your order',
  status: 'sent',
  end_reason: null,
  last_outcome: 'delivered',
  provider_message_id: '<019a8c1e-8d20-7b55-a1c3-6e7f80911223@mail.example.com>',
  requested_at: '2026-06-06T12:00:00.000Z',
  sent_at: '2026-06-06T12:00:00.120Z',
  failed_at: null,
  hold: null,
  scheduled_at: null,
  metadata: {},
  labels: [],
  folder: null,
  quarantine_reason: null,
  from_name: 'Ana',
  body_text: 'It left our house this morning.',
  body_html: null,
  extracted_text: null,
  is_auto_reply: false,
  is_automatic: false,
  content_erased_at: null,
  message_id: '<019a8c1e-8d20-7b55-a1c3-6e7f80911223@mail.example.com>',
  in_reply_to: null,
  references_ids: [],
  spam_verdict: null,
  virus_verdict: null,
  dkim_verdict: null,
  spf_verdict: null,
  dmarc_verdict: null,
  provider_received_at: null,
  raw_url: 'http://127.0.0.1:8080/v1/emails/019a8c1e-8d20-7b55-a1c3-6e7f80911223/raw',
  attachments: [],
  last_event_at: '2026-06-06T12:00:00.120Z',
};

export const inboundEmailExample: Email = {
  ...emailExample,
  id: '019a8c1e-8d30-7b58-a1c3-6e7f80911226',
  direction: 'inbound',
  folder: 'inbox',
  from_address: 'bob@example.org',
  from_name: 'Bob',
  to_addresses: ['ana+acme@mail.example.com'],
  subject: 'Re: Your order',
  status: 'received',
  last_outcome: null,
  provider_message_id: null,
  sent_at: null,
  body_text: 'Thank you!\n\nOn Sat, Jun 6, 2026, Ana wrote:\n> It left our house this morning.\n',
  extracted_text: 'Thank you!',
  message_id: '<reply-1@example.org>',
  in_reply_to: '<019a8c1e-8d20-7b55-a1c3-6e7f80911223@mail.example.com>',
  references_ids: ['<019a8c1e-8d20-7b55-a1c3-6e7f80911223@mail.example.com>'],
  spam_verdict: 'DISABLED',
  virus_verdict: 'DISABLED',
  dkim_verdict: 'PASS',
  spf_verdict: 'PASS',
  dmarc_verdict: 'PASS',
  provider_received_at: '2026-06-06T12:04:00.000Z',
  raw_url: 'http://127.0.0.1:8080/v1/emails/019a8c1e-8d30-7b58-a1c3-6e7f80911226/raw',
};

export const EmailWait = z
  .strictObject({
    email: Email.nullable().describe('The first email that matches; null when the time is up.'),
    code: z.string().nullable().describe('The verification code in its text, if there is one.'),
  })
  .meta({ id: 'EmailWait' });
export type EmailWait = z.infer<typeof EmailWait>;

export const emailListItemExample: EmailListItem = EmailListItem.parse(
  Object.fromEntries(Object.keys(EmailListItem.shape).map((key) => [key, emailExample[key as keyof Email]])),
);

export const emailEventKinds = [
  'sent',
  'send_failed',
  'delivered',
  'delivery_delayed',
  'bounced',
  'complained',
  'opened',
  'clicked',
  'unsubscribed',
  'received',
  'received_suppressed',
  'quarantined',
  'forwarded',
  'forward_failed',
  'unreadable_report',
  'held',
  'released',
  'canceled',
] as const;
export type EmailEventKind = (typeof emailEventKinds)[number];

export const EmailTimelineEntry = z
  .strictObject({
    id: Uuid,
    kind: z
      .enum(emailEventKinds)
      .describe(
        'unreadable_report: a message arrived at the return path that is neither a known report nor an automatic reply. GET /v1/emails/{email_id}/attachments/{attachment_id} with detail.attachment_id returns it while it is stored.',
      ),
    occurred_at: Timestamp,
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'EmailTimelineEntry' });
export type EmailTimelineEntry = z.infer<typeof EmailTimelineEntry>;

export const EmailTimeline = pageOf(EmailTimelineEntry, 'EmailTimeline');

/** A page that shows the HTML body. */
export const EmailPreview = z
  .strictObject({
    url: z.string().describe('Shows the HTML body in a frame in which no script can run.'),
    expires_at: Timestamp,
  })
  .meta({ id: 'EmailPreview' });
export type EmailPreview = z.infer<typeof EmailPreview>;
