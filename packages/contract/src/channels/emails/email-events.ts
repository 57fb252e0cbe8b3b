// The events of emails, each with the schema of its data.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { silenceFields } from '../../inbox/reply-silences.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import {
  EmailAttachmentLink,
  EmailEndReason,
  EmailVerdict,
  emailDirections,
  quarantineReasons,
} from './email-records.ts';

const id = '019a8c1e-8d20-7b55-a1c3-6e7f80911223';
const at = '2026-06-06T12:00:03.000Z';
const Verdict = EmailVerdict;

const inbound_fields = {
  id: Uuid.describe('The id of the email.'),
  direction: z.enum(emailDirections),
  from_address: z.string(),
  to_addresses: z.array(z.string()),
  subject: z.string(),
  message_id: z.string().nullable(),
};

const EmailReceivedData = z
  .strictObject({
    ...inbound_fields,
    in_reply_to: z.string().nullable(),
    spam_verdict: Verdict,
    virus_verdict: Verdict,
    spf_verdict: Verdict,
    dkim_verdict: Verdict,
    dmarc_verdict: Verdict,
    raw_url: z.string(),
    attachments: z.array(EmailAttachmentLink),
  })
  .meta({ id: 'EmailReceivedData' });

export const inboundSuppressionReasons = [
  'forward_loop',
  'forward_rate_limit',
  'inbound_rate_limit',
  'insufficient_funds',
] as const;

const EmailSuppressedData = z
  .strictObject({
    ...inbound_fields,
    reason: z.enum(inboundSuppressionReasons),
  })
  .meta({ id: 'EmailSuppressedData' });

const EmailQuarantinedData = z
  .strictObject({
    id: Uuid.describe('The id of the email.'),
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    subject: z.string(),
    reason: z.enum(quarantineReasons),
    rule_id: Uuid.nullable(),
  })
  .meta({ id: 'EmailQuarantinedData' });

const EmailBlockedData = z
  .strictObject({
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    rule_id: Uuid,
    count: z.int().describe('Emails of this sender that were blocked since the last such event.'),
  })
  .meta({ id: 'EmailBlockedData' });

/** The delivery events share one schema; only `detail` differs. */
const reported = <Kind extends string, Detail extends z.ZodType>(kind: Kind, name: string, detail: Detail) =>
  z
    .strictObject({
      id: Uuid.describe('The id of the email.'),
      kind: z.literal(kind),
      occurred_at: Timestamp,
      from_address: z.string(),
      to_addresses: z.array(z.string()),
      subject: z.string(),
      detail,
    })
    .meta({ id: name });

const ForRecipients = z.looseObject({ recipients: z.array(z.string()) });

const BounceDetail = z.looseObject({
  hard: z.boolean().describe('true: sending to this address again will not succeed.'),
  bounce_type: z.string().describe('Permanent, Transient or Undetermined.'),
  bounce_sub_type: z.string(),
  recipients: z.array(z.string()),
  diagnostic_code: z.string().nullable().describe('The response text of the rejecting server.'),
});

const VisitDetail = z.looseObject({
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  machine: z
    .boolean()
    .describe('true when the request is known to come from a program and not from the reader.'),
});

const EmailSendFailedData = z
  .strictObject({
    id: Uuid.describe('The id of the email.'),
    direction: z.enum(emailDirections),
    status: z.literal('failed'),
    end_reason: EmailEndReason,
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    subject: z.string(),
    failed_at: Timestamp,
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'EmailSendFailedData' });

const EmailCanceledData = z
  .strictObject({
    id: Uuid.describe('The id of the email.'),
    direction: z.enum(emailDirections),
    status: z.literal('canceled'),
    end_reason: EmailEndReason,
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    subject: z.string(),
    occurred_at: Timestamp,
  })
  .meta({ id: 'EmailCanceledData' });

const outbound = {
  id,
  occurred_at: at,
  from_address: 'ana+acme@mail.example.com',
  to_addresses: ['bob@example.org'],
  subject: 'Your order',
};
const inbound = {
  id,
  direction: 'inbound' as const,
  from_address: 'bob@example.org',
  to_addresses: ['ana+acme@mail.example.com'],
  subject: 'Re: Your order',
  message_id: '<reply-1@example.org>',
};
const visit = { ip_address: '203.0.113.9', user_agent: 'Mozilla/5.0 (X11; Linux x86_64)', machine: false };

const EmailNotAnsweredData = z
  .strictObject({
    id: Uuid.describe('The id of the email that came in.'),
    from_address: z.string(),
    to_address: z.string().describe('The address that the agent answers for.'),
    ...silenceFields,
  })
  .meta({ id: 'EmailNotAnsweredData' });

export const emailEvents = defineEvents({
  'email.not_answered': {
    meaning: 'An email was received for an agent, and the agent does not reply to it.',
    data: EmailNotAnsweredData,
    example: {
      id,
      from_address: 'bob@example.org',
      to_address: 'desk@mail.example.com',
      agent_id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
      reason: 'automatic_message',
      detail: 'A program sent the message.',
    },
  },
  'email.received': {
    meaning: 'An inbound message was accepted.',
    data: EmailReceivedData,
    example: {
      ...inbound,
      in_reply_to: '<019a8c1e-8d20-7b55-a1c3-6e7f80911223@mail.example.com>',
      spam_verdict: 'DISABLED',
      virus_verdict: 'DISABLED',
      spf_verdict: 'PASS',
      dkim_verdict: 'PASS',
      dmarc_verdict: 'PASS',
      raw_url: `http://127.0.0.1:8080/v1/emails/${id}/raw`,
      attachments: [],
    },
  },
  'email.received.suppressed': {
    meaning: 'An inbound message was accepted, but was not forwarded; one event per reason.',
    data: EmailSuppressedData,
    example: { ...inbound, reason: 'forward_rate_limit' },
  },
  'email.quarantined': {
    meaning: 'An inbound message was put into quarantine.',
    data: EmailQuarantinedData,
    example: {
      id,
      from_address: inbound.from_address,
      to_addresses: inbound.to_addresses,
      subject: inbound.subject,
      reason: 'spam',
      rule_id: null,
    },
  },
  'email.blocked': {
    meaning: 'A receive rule refused an inbound message. At most once an hour for each rule and sender.',
    data: EmailBlockedData,
    example: {
      from_address: inbound.from_address,
      to_addresses: inbound.to_addresses,
      rule_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5ea1',
      count: 1,
    },
  },
  'email.delivered': {
    meaning: 'The transport accepted the message for delivery.',
    data: reported('delivered', 'EmailDeliveredData', ForRecipients),
    example: {
      ...outbound,
      kind: 'delivered',
      detail: { recipients: ['bob@example.org'], response: '250 OK' },
    },
  },
  'email.delivery_delayed': {
    meaning: 'The message is delayed; the transport keeps trying to deliver it.',
    data: reported('delivery_delayed', 'EmailDelayedData', ForRecipients),
    example: {
      ...outbound,
      kind: 'delivery_delayed',
      detail: { recipients: ['bob@example.org'], diagnostic_code: '451 4.7.1 Try again later' },
    },
  },
  'email.bounced': {
    meaning: 'The recipient’s mail server rejected the message, permanently (hard) or temporarily (soft).',
    data: reported('bounced', 'EmailBouncedData', BounceDetail),
    example: {
      ...outbound,
      kind: 'bounced',
      detail: {
        hard: true,
        bounce_type: 'Permanent',
        bounce_sub_type: 'NoEmail',
        recipients: ['bob@example.org'],
        diagnostic_code: 'smtp; 550 5.1.1 No such user',
      },
    },
  },
  'email.complained': {
    meaning: 'The recipient marked the message as spam.',
    data: reported('complained', 'EmailComplainedData', ForRecipients),
    example: {
      ...outbound,
      kind: 'complained',
      detail: { recipients: ['bob@example.org'], feedback_type: 'abuse' },
    },
  },
  'email.opened': {
    meaning:
      'The message was opened, as reported by its tracking pixel; only for messages with an HTML body.',
    data: reported('opened', 'EmailOpenedData', VisitDetail),
    example: { ...outbound, kind: 'opened', detail: visit },
  },
  'email.clicked': {
    meaning: 'A tracked link was opened; only for messages with an HTML body.',
    data: reported('clicked', 'EmailClickedData', VisitDetail.extend({ link: z.string() })),
    example: { ...outbound, kind: 'clicked', detail: { ...visit, link: 'https://example.com/offer' } },
  },
  'email.canceled': {
    meaning: 'An email that waited was canceled, or its approval was rejected or expired.',
    data: EmailCanceledData,
    example: {
      id,
      direction: 'outbound',
      status: 'canceled',
      end_reason: 'canceled',
      from_address: outbound.from_address,
      to_addresses: outbound.to_addresses,
      subject: outbound.subject,
      occurred_at: at,
    },
  },
  'email.send_failed': {
    meaning: 'An outbound message could not be sent; POST /v1/emails returned 502.',
    data: EmailSendFailedData,
    example: {
      id,
      direction: 'outbound',
      status: 'failed',
      end_reason: 'smtp_rejected',
      from_address: outbound.from_address,
      to_addresses: outbound.to_addresses,
      subject: outbound.subject,
      failed_at: at,
      detail: { response: '550 5.7.1 Not from here' },
    },
  },
});
