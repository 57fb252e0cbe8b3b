// SMS: texts in both directions, their sender, and the recipients who opted out.
import { z } from 'zod';
import { list_filter_errors, listFilters } from '../../inbox/search/search.ts';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { holdExample, holdFields, MessagePatch, sendingFields } from '../../rules/approvals/hold.ts';
import {
  Consent,
  ConversationRef,
  Metadata,
  PhoneNumber,
  pageOf,
  pageQuery,
  QueryPhone,
  Timestamp,
  Uuid,
  waitQuery,
} from '../../schema/fields.ts';
import { statisticsQuery } from '../channel-statistics.ts';
import { smsLifecycle } from './sms-lifecycle.ts';
import { SmsStatistics, smsStatisticsExample } from './sms-statistics.ts';

export { smsLifecycle } from './sms-lifecycle.ts';
export type { SmsStatistics } from './sms-statistics.ts';

/** Why a text did not arrive, with the same codes for every carrier. */
export const smsErrorCodes = {
  recipient_opted_out: 'The recipient asked the carrier to stop texts from this sender.',
  invalid_recipient: 'The number does not exist or cannot receive texts.',
  invalid_sender: 'The carrier does not allow this sender for this recipient.',
  unreachable: 'The phone was off or out of coverage for too long.',
  filtered: 'A network blocked the text as spam.',
  sender_not_registered: 'The sender is not registered for texts to this country.',
  code_withheld: 'The carrier holds back texts with one-time codes.',
  rejected: 'The carrier rejected the text for another reason.',
  carrier_unavailable: 'The carrier did not accept the text in time.',
  unconfirmed:
    'The carrier’s response was lost, so it is unknown whether the text was sent. It was not sent again.',
  undelivered: 'The carrier reported that the text did not arrive and gave no reason.',
  not_allowed:
    'A rule of this server stopped the text before it was sent to the carrier: the kill switch stayed on, the destination is not allowed, or the cap is zero.',
  canceled: 'The text was canceled before it was sent.',
  approval_rejected: 'A person rejected the text.',
  approval_expired: 'Nobody approved the text in time.',
} as const;
export type SmsErrorCode = keyof typeof smsErrorCodes;
export const smsErrorCodeNames = Object.keys(smsErrorCodes) as [SmsErrorCode, ...SmsErrorCode[]];

export const Sms = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    conversation_id: Uuid.describe('The same for all texts between one sender and one phone.'),
    direction: z.enum(['outbound', 'inbound']),
    from: z.string().describe('A number in E.164 form, or a sender name.'),
    to: z.string(),
    body: z.string(),
    status: z.enum(smsLifecycle.states),
    error_code: z
      .enum(smsErrorCodeNames)
      .nullable()
      .describe(
        'Why it did not arrive; code_withheld also of a text that arrived without its one-time code.',
      ),
    segments: z.number().int().describe('The number of segments the text is sent and billed as.'),
    encoding: z.enum(['gsm7', 'ucs2']),
    provider: z.string(),
    provider_message_id: z.string().nullable(),
    requested_at: Timestamp.describe(
      'When the service accepted it; for an inbound text, when it was received.',
    ),
    sent_at: Timestamp.nullable(),
    delivered_at: Timestamp.nullable(),
    failed_at: Timestamp.nullable(),
    content_erased_at: Timestamp.nullable().describe(
      'When its content was erased, by retention or with the person.',
    ),
    ...holdFields,
    metadata: z.record(z.string(), z.unknown()),
    labels: z.array(z.string()),
  })
  .meta({ id: 'Sms' });
export type Sms = z.infer<typeof Sms>;

export const SmsCreate = z
  .strictObject({
    to: PhoneNumber,
    body: z.string().min(1, 'Expected a text').max(limits.sms_body_chars),
    recipient_consent: Consent,
    from: z
      .string()
      .trim()
      .min(3)
      .max(40)
      .nullish()
      .describe('One of your active SMS numbers, or your custom sender id. Default: chosen for you.'),
    ...sendingFields,
    metadata: Metadata.optional(),
  })
  .meta({ id: 'SmsCreate' });
export type SmsCreate = z.output<typeof SmsCreate>;

const sms_id = '019a8c1e-6f70-7182-8394-0e1f20314253';

const example: Sms = {
  id: sms_id,
  organization_id: '00000000-0000-0000-0000-000000000000',
  conversation_id: '8a51c2d3-e4f5-8a6b-9c7d-8e9fa0b1c2d3',
  direction: 'outbound',
  from: '+15005554001',
  to: '+15005550001',
  body: 'Your table is booked for Tuesday, 7 pm.',
  status: 'queued',
  error_code: null,
  segments: 1,
  encoding: 'gsm7',
  provider: 'sandbox',
  provider_message_id: null,
  requested_at: '2026-06-06T12:00:00.000Z',
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  content_erased_at: null,
  hold: null,
  scheduled_at: null,
  metadata: {},
  labels: [],
};
const scheduled: Sms = { ...example, hold: holdExample, scheduled_at: '2026-06-07T08:00:00.000Z' };
export const smsInboundExample: Sms = {
  ...example,
  direction: 'inbound',
  from: '+14155550123',
  to: '+15005554001',
  body: 'Your code is 482913',
  status: 'received',
  provider_message_id: 'sandbox-in-1',
};

export const SmsWait = z
  .strictObject({
    sms: Sms.nullable().describe('The first text that matches; null when the time is up.'),
    code: z.string().nullable().describe('The verification code in its body, if there is one.'),
  })
  .meta({ id: 'SmsWait' });

export const SmsSenderId = z
  .strictObject({
    custom_sender_id: z.string().nullable(),
    effective_default: z.string().nullable().describe('The sender of a text without "from".'),
  })
  .meta({ id: 'SmsSenderId' });

export const SenderName = z
  .string()
  .regex(
    /^(?=.*[A-Za-z])[A-Za-z0-9 ]{3,11}$/,
    'Expected 3 to 11 letters, digits or spaces with at least one letter',
  )
  .refine((name) => name.trim() === name, 'A sender id may not start or end with a space');

export const SmsSuppression = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    recipient: z.string(),
    channel: z.literal('sms'),
    reason: z.enum(['opt_out', 'carrier_refusal', 'manual']),
    source: z
      .enum(['keyword', 'carrier', 'api', 'revocation'])
      .describe('revocation: the person said it on another channel, see the contact rules.'),
    created_at: Timestamp,
  })
  .meta({ id: 'SmsSuppression' });
export type SmsSuppression = z.infer<typeof SmsSuppression>;

const unsuppressing =
  'People delete every entry; programs one that a program added, and others after the phone wrote a text again, which does not allow calls.';
const suppression: SmsSuppression = {
  id: '019a8c1e-7081-7293-84a5-1f2031425364',
  organization_id: '00000000-0000-0000-0000-000000000000',
  recipient: '+14155550123',
  channel: 'sms',
  reason: 'opt_out',
  source: 'keyword',
  created_at: '2026-06-06T12:00:00.000Z',
};

export const sms = defineOperations('sms', 'Text messages in both directions.', {
  create: {
    method: 'POST',
    path: '/v1/sms',
    conversation: 'reply',
    summary: 'Send a text',
    description:
      'Responds once the text is queued; with scheduled_at, or when a rule holds it back, it waits and hold says why. Follow the text with GET /v1/sms/{sms_id} or with the sms.* events. recipient_consent must be true: you confirm that the recipient agreed to be contacted.',
    body: SmsCreate,
    body_example: {
      to: '+15005550001',
      body: 'Your table is booked for Tuesday, 7 pm.',
      recipient_consent: true,
    },
    idempotent: true,
    success: { status: 201, body: Sms, example },
    errors: [
      'consent_required',
      'recipient_suppressed',
      'consent_not_recorded',
      'from_not_allowed',
      'no_sms_sender',
      'sender_not_registered',
      'destination_not_allowed',
      'velocity_capped',
      'kill_switch',
      'insufficient_funds',
      'carrier_not_configured',
      'quiet_hours',
      'new_recipient_capped',
      'recipient_capped',
      'budget_exceeded',
      'not_allowed_by_policy',
      'too_many_approvals',
      'invalid_schedule',
      'recipient_not_in_conversation',
    ],
  },
  list: {
    method: 'GET',
    path: '/v1/sms',
    conversation: 'read',
    summary: 'List texts, newest first',
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(smsLifecycle.states).optional().describe('Only texts in this status.'),
      direction: z.enum(['outbound', 'inbound']).optional(),
      to: QueryPhone.optional(),
      conversation_id: ConversationRef.optional(),
      from: QueryPhone.optional(),
      ...listFilters,
    }),
    success: {
      status: 200,
      body: pageOf(Sms, 'SmsPage'),
      example: { items: [example], next_cursor: null },
    },
    errors: list_filter_errors,
  },
  stats: {
    method: 'GET',
    path: '/v1/sms/stats',
    summary: 'Count texts by status',
    query: statisticsQuery('texts'),
    success: {
      status: 200,
      body: SmsStatistics,
      example: smsStatisticsExample,
    },
    errors: ['invalid_time_range'],
  },
  wait: {
    method: 'GET',
    path: '/v1/sms/wait',
    conversation: 'wait',
    summary: 'Wait for an inbound text',
    description:
      'Responds as soon as a text matches, including one that arrived after "since" and before this request. Returns null when the time is up.',
    query: z.strictObject({
      to: QueryPhone.optional().describe('Only texts to this number.'),
      from: QueryPhone.optional().describe('Only texts from this phone.'),
      conversation_id: ConversationRef.optional(),
      ...waitQuery('texts'),
    }),
    success: { status: 200, body: SmsWait, example: { sms: smsInboundExample, code: '482913' } },
    errors: ['too_many_waiters'],
  },
  get: {
    method: 'GET',
    path: '/v1/sms/{sms_id}',
    conversation: 'read',
    summary: 'Read one text',
    params: z.strictObject({ sms_id: Uuid }),
    success: { status: 200, body: Sms, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/sms/{sms_id}',
    summary: 'Change the time or the labels of a text',
    description:
      'The time of a text that waits can be changed. If a person approved it, the new time needs a new approval. A text that waits for an approval cannot be moved: cancel it and send it again.',
    params: z.strictObject({ sms_id: Uuid }),
    body: MessagePatch,
    body_example: { scheduled_at: '2026-06-07T08:00:00Z' },
    success: { status: 200, body: Sms, example: scheduled },
    errors: ['invalid_schedule', 'already_handed_over', 'held', 'invalid_label', 'too_many_labels'],
  },
  cancel: {
    method: 'POST',
    path: '/v1/sms/{sms_id}/cancel',
    summary: 'Cancel a text that waits',
    description: 'The text ends as canceled and is never sent. Event: sms.canceled.',
    params: z.strictObject({ sms_id: Uuid }),
    success: {
      status: 200,
      body: Sms,
      example: { ...scheduled, status: 'canceled', error_code: 'canceled', hold: null },
    },
    errors: ['already_handed_over'],
  },
  get_sender_id: {
    method: 'GET',
    path: '/v1/sms/sender-id',
    summary: 'Read the sender of your texts',
    success: {
      status: 200,
      body: SmsSenderId,
      example: { custom_sender_id: 'Example', effective_default: 'Example' },
    },
  },
  update_sender_id: {
    method: 'PATCH',
    path: '/v1/sms/sender-id',
    summary: 'Set the sender of your texts',
    description: 'A custom sender id is used if the recipient’s country allows names as senders.',
    body: z
      .strictObject({ custom_sender_id: SenderName.nullish() })
      .describe('Fields that are left out keep their value; null clears a field.')
      .meta({ id: 'SmsSenderIdPatch' }),
    body_example: { custom_sender_id: 'Example' },
    success: {
      status: 200,
      body: SmsSenderId,
      example: { custom_sender_id: 'Example', effective_default: 'Example' },
    },
  },
  list_suppressions: {
    method: 'GET',
    path: '/v1/sms/suppressions',
    summary: 'List suppressed phone numbers, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(SmsSuppression, 'SmsSuppressionPage'),
      example: { items: [suppression], next_cursor: null },
    },
  },
  create_suppression: {
    method: 'POST',
    path: '/v1/sms/suppressions',
    summary: 'Stop texts to a phone number',
    description: 'If the number is already suppressed, the existing entry is returned.',
    body: z.strictObject({ recipient: PhoneNumber }).meta({ id: 'SmsSuppressionCreate' }),
    body_example: { recipient: '+14155550123' },
    success: {
      status: 201,
      body: SmsSuppression,
      example: { ...suppression, reason: 'manual', source: 'api' },
    },
  },
  delete_suppression_of: {
    method: 'DELETE',
    path: '/v1/sms/suppressions',
    summary: 'Allow texts to a phone number again, by number',
    description: unsuppressing,
    query: z.strictObject({ recipient: QueryPhone }),
    success: { status: 204 },
    errors: ['not_found', 'person_required'],
  },
  delete_suppression: {
    method: 'DELETE',
    path: '/v1/sms/suppressions/{sms_suppression_id}',
    summary: 'Allow texts to a phone number again, by id',
    description: unsuppressing,
    params: z.strictObject({ sms_suppression_id: Uuid }),
    success: { status: 204 },
    errors: ['person_required'],
  },
});

export const sandboxSms = defineOperations(
  'sandbox_sms',
  'Simulate another phone; only with the sandbox on.',
  {
    receive: {
      method: 'POST',
      path: '/v1/sandbox/inbound-sms',
      summary: 'Simulate an inbound text',
      body: z
        .strictObject({
          from: PhoneNumber,
          to: PhoneNumber.describe('One of your active SMS numbers, or the default sender of the sandbox.'),
          body: z.string().max(limits.sms_body_chars),
        })
        .meta({ id: 'SandboxInboundSms' }),
      body_example: { from: '+14155550123', to: '+15005554001', body: 'Your code is 482913' },
      success: { status: 201, body: Sms, example: smsInboundExample },
      errors: ['number_not_yours'],
    },
  },
);
