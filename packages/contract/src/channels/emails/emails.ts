// Emails: sending, replying and reading, with timeline and statistics.
import { z } from 'zod';
import { list_filter_errors, listFilters, partyFilters } from '../../inbox/search/search.ts';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { holdExample, MessagePatch } from '../../rules/approvals/hold.ts';
import { ConversationRef, pageOf, pageQuery, Uuid, waitQuery } from '../../schema/fields.ts';
import { QueryAddress } from '../../schema/mailbox.ts';
import {
  Email,
  EmailListItem,
  EmailPreview,
  EmailTimeline,
  EmailWait,
  emailDirections,
  emailExample,
  emailFolders,
  emailLifecycle,
  emailListItemExample,
  inboundEmailExample,
} from './email-records.ts';
import { EmailCreate, EmailForward, EmailReply } from './email-requests.ts';
import { EmailStatistics, emailStatisticsExample, statisticsBuckets } from './email-statistics.ts';

const EmailView = z
  .enum(['full', 'text'])
  .optional()
  .describe(
    'text: body_html is left out, and body_text contains the readable text of an email that has only HTML, without markup and hidden text. Default: full.',
  );

const scheduledExample: Email = {
  ...emailExample,
  status: 'queued',
  last_outcome: 'queued',
  provider_message_id: null,
  sent_at: null,
  last_event_at: null,
  hold: holdExample,
  scheduled_at: '2026-06-07T08:00:00.000Z',
};

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
  'consent_not_recorded',
  'attachment_not_found',
  'attachment_expired',
  'attachments_too_large',
  'reply_target_not_found',
  'velocity_capped',
  'new_recipient_capped',
  'recipient_capped',
  'budget_exceeded',
  'not_allowed_by_policy',
  'too_many_approvals',
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
      'Responds when the mail transport has accepted the message (201, sent) or rejected it (502). With scheduled_at, or when a rule holds it back, it is stored and waits (201, queued): hold says why, and the header Parley-Hold names the kind. A failed email is stored and listed with status failed. With the code email_unconfirmed the message may have been delivered: do not send it again before GET /v1/emails/{email_id} shows its final status.',
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
    conversation: 'read',
    summary: 'List emails, newest first',
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(emailLifecycle.states).optional(),
      direction: z.enum(emailDirections).optional(),
      conversation_id: ConversationRef.optional(),
      folder: z
        .enum(emailFolders)
        .optional()
        .describe('Default: everything but the quarantine. inbox: received emails.'),
      ...partyFilters,
      ...listFilters,
    }),
    success: {
      status: 200,
      body: pageOf(EmailListItem, 'EmailPage'),
      example: { items: [emailListItemExample], next_cursor: null },
    },
    errors: list_filter_errors,
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
    conversation: 'wait',
    summary: 'Wait for an inbound email',
    description:
      'Responds as soon as an email matches, including one that arrived after "since" and before this request. Returns null when the time is up.',
    query: z.strictObject({
      to: QueryAddress.optional().describe('Only emails to this address.'),
      from: QueryAddress.optional().describe('Only emails from this address.'),
      conversation_id: ConversationRef.optional(),
      view: EmailView,
      ...waitQuery('emails'),
    }),
    success: { status: 200, body: EmailWait, example: { email: inboundEmailExample, code: null } },
    errors: ['invalid_email_address', 'too_many_waiters'],
  },
  get: {
    method: 'GET',
    path: '/v1/emails/{email_id}',
    conversation: 'read',
    summary: 'Read one email',
    ...one,
    query: z.strictObject({ view: EmailView }),
    success: { status: 200, body: Email, example: emailExample },
  },
  update: {
    method: 'PATCH',
    path: '/v1/emails/{email_id}',
    summary: 'Change the time or the labels of an email',
    description:
      'The time of an email that waits can be changed. If a person approved it, the new time needs a new approval. An email that waits for an approval cannot be moved: cancel it and send it again.',
    ...one,
    body: MessagePatch,
    body_example: { scheduled_at: '2026-06-07T08:00:00Z' },
    success: { status: 200, body: Email, example: scheduledExample },
    errors: ['invalid_schedule', 'already_handed_over', 'held', 'invalid_label', 'too_many_labels'],
  },
  cancel: {
    method: 'POST',
    path: '/v1/emails/{email_id}/cancel',
    summary: 'Cancel an email that waits',
    description: 'The email ends as canceled and is never sent. Event: email.canceled.',
    ...one,
    success: {
      status: 200,
      body: Email,
      example: { ...scheduledExample, status: 'canceled', end_reason: 'canceled', hold: null },
    },
    errors: ['already_handed_over'],
  },
  release: {
    method: 'POST',
    path: '/v1/emails/{email_id}/release',
    summary: 'Release an email from quarantine',
    description: 'From now on it is treated as if it was received now. Event: email.received.',
    ...one,
    success: { status: 200, body: Email, example: inboundEmailExample },
    errors: ['email_not_received', 'virus_release_refused', 'insufficient_funds'],
  },
  quarantine: {
    method: 'POST',
    path: '/v1/emails/{email_id}/quarantine',
    summary: 'Put a received email into quarantine',
    ...one,
    success: {
      status: 200,
      body: Email,
      example: { ...inboundEmailExample, folder: 'quarantine', quarantine_reason: 'manual' },
    },
    errors: ['email_not_received'],
  },
  reply: {
    method: 'POST',
    path: '/v1/emails/{email_id}/reply',
    conversation: 'reply',
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
    errors: [...sendErrors, 'recipient_not_in_conversation'],
  },
  forward: {
    method: 'POST',
    path: '/v1/emails/{email_id}/forward',
    summary: 'Forward an email to other people',
    description:
      'Sends a new email of yours with the content of this one. The recipients are checked like those of every new email. A forward begins a conversation of its own.',
    ...one,
    body: EmailForward,
    body_example: { recipient_consent: true, to: ['carol@example.org'], body_text: 'For you to answer.' },
    idempotent: true,
    success: {
      status: 201,
      body: Email,
      example: { ...emailExample, to_addresses: ['carol@example.org'], subject: 'Fwd: Your order' },
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
    conversation: 'read',
    summary: 'Download an attachment of an email, or an unreadable report from its timeline',
    params: z.strictObject({ email_id: Uuid, attachment_id: Uuid }),
    success: { status: 302 },
  },
});
