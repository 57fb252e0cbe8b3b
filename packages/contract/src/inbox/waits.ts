// Waits: stored requests to be told when one of several things happens, on any channel. They survive restarts.
import { z } from 'zod';
import { Call } from '../channels/calls/call-records.ts';
import { Email } from '../channels/emails/email-records.ts';
import { Sms, smsInboundExample } from '../channels/sms/sms.ts';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { Approval } from '../rules/approvals/approvals.ts';
import {
  ConversationRef,
  Metadata,
  PhoneNumber,
  pageOf,
  pageQuery,
  queryInteger,
  Timestamp,
  Uuid,
} from '../schema/fields.ts';
import { defineLifecycle, type StateOf } from '../schema/lifecycle.ts';
import { AddressText, readAddress } from '../schema/mailbox.ts';
import { Conversation, conversationChannels } from './conversations.ts';

export const waitLifecycle = defineLifecycle({
  subject: 'wait',
  initial: 'pending',
  states: ['pending', 'resolved', 'expired', 'canceled'],
  moves: {
    matched: { from: ['pending'], to: 'resolved', emits: 'wait.resolved' },
    expired: { from: ['pending'], to: 'expired', emits: 'wait.expired' },
    was_canceled: { from: ['pending'], to: 'canceled', emits: 'wait.canceled' },
  },
});
export type WaitStatus = StateOf<typeof waitLifecycle>;

export const waitKinds = ['reply', 'email', 'sms', 'code', 'call', 'outcome', 'approval', 'result'] as const;
export type WaitKind = (typeof waitKinds)[number];
export const waitNouns = ['email', 'sms', 'call', 'approval', 'conversation'] as const;
export type WaitNoun = (typeof waitNouns)[number];
export const waitOutcomes = [
  'delivered',
  'undelivered',
  'bounced',
  'complained',
  'failed',
  'canceled',
] as const;
export type WaitOutcome = (typeof waitOutcomes)[number];

const sender_chars = 40;
/** A number as people write it, or the name or short code that a program texts from. */
const normalSender = (text: string): string => PhoneNumber.safeParse(text).data ?? text;
const Sender = z
  .string()
  .trim()
  .min(1)
  .max(sender_chars)
  .transform(normalSender)
  .meta({ json_schema: { type: 'string', maxLength: sender_chars } });

const Party = z
  .string()
  .trim()
  .min(1)
  .max(limits.email_address_chars)
  .refine((text) => (text.includes('@') ? readAddress(text) !== null : text.length <= sender_chars), {
    message: 'Expected an email address, a phone number or the name of a sender',
  })
  .transform((text) => (text.includes('@') ? text : normalSender(text)))
  .meta({ json_schema: { type: 'string', maxLength: limits.email_address_chars } });

const messageChannels = ['email', 'sms'] as const;

export const WaitCondition = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('reply'),
      conversation_id: ConversationRef,
      channel: z.enum(conversationChannels).nullish(),
    }),
    z.strictObject({ kind: z.literal('email'), from: AddressText.nullish(), to: AddressText.nullish() }),
    z.strictObject({ kind: z.literal('sms'), from: Sender.nullish(), to: Sender.nullish() }),
    z.strictObject({
      kind: z.literal('code'),
      channel: z.enum(messageChannels).nullish(),
      from: Party.nullish(),
      to: Party.nullish(),
    }),
    z.strictObject({
      kind: z.literal('call'),
      call_id: Uuid,
      until: z.enum(['answered', 'ended']).nullish().describe('Default: ended.'),
    }),
    z.strictObject({ kind: z.literal('outcome'), noun: z.enum(messageChannels), id: Uuid }),
    z.strictObject({ kind: z.literal('approval'), approval_id: Uuid }),
    z.strictObject({ kind: z.literal('result'), noun: z.enum(['call', 'conversation']), id: Uuid }),
  ])
  .meta({
    id: 'WaitCondition',
    description:
      'reply: a message or call from the other side of the conversation. email, sms: received. code: a received message with a one-time code. call: answered (or over), or ended. outcome: delivered, bounced, failed or canceled. approval: decided. result: the typed result is ready or could not be made; of a conversation since `since`.',
  });
export type WaitCondition = z.output<typeof WaitCondition>;

const record = 'Null in lists and events, and without the scope to read it. Emails are shown as text.';
const object = <Noun extends WaitNoun, Body extends z.ZodType>(noun: Noun, body: Body) =>
  z.strictObject({ noun: z.literal(noun), id: Uuid, record: body.nullable() });

export const WaitMatch = z
  .strictObject({
    index: z.int().describe('Of the condition in any_of.'),
    kind: z.enum(waitKinds),
    at: Timestamp.describe('When it happened.'),
    object: z
      .discriminatedUnion('noun', [
        object('email', Email),
        object('sms', Sms),
        object('call', Call),
        object('approval', Approval),
        object('conversation', Conversation),
      ])
      .describe(record),
    outcome: z.enum(waitOutcomes).nullable().describe('For the kind outcome.'),
    code: z.string().nullable().describe('The one-time code in a received message.'),
  })
  .meta({ id: 'WaitMatch' });
export type WaitMatch = z.infer<typeof WaitMatch>;

export const Wait = z
  .strictObject({
    id: Uuid,
    status: z.enum(waitLifecycle.states),
    any_of: z.array(WaitCondition),
    since: Timestamp,
    expires_at: Timestamp,
    created_at: Timestamp,
    resolved_at: Timestamp.nullable(),
    matched: WaitMatch.nullable().describe('What ended the wait.'),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Wait' });
export type Wait = z.infer<typeof Wait>;

const Time = z.iso.datetime({ offset: true });

export const WaitCreate = z
  .strictObject({
    any_of: z.array(WaitCondition).min(1).max(limits.wait_conditions),
    since: Time.optional().describe(
      'Received messages count from this time on; at most 24 hours ago. Default: now.',
    ),
    expires_at: Time.optional().describe('At most 30 days ahead. Default: in 24 hours.'),
    metadata: Metadata.optional(),
    wait_seconds: z
      .int()
      .min(0)
      .max(limits.wait_max_seconds)
      .optional()
      .describe('How long this request waits for the end. Default: 0.'),
  })
  .meta({ id: 'WaitCreate' });
export type WaitCreate = z.output<typeof WaitCreate>;

export const waitExample: Wait = {
  id: '019a8c1e-b111-7c22-8d33-4e5f60718293',
  status: 'resolved',
  any_of: [{ kind: 'code', channel: 'sms', to: '+15005554001' }],
  since: '2026-06-06T12:00:00.000Z',
  expires_at: '2026-06-07T12:00:00.000Z',
  created_at: '2026-06-06T12:00:00.000Z',
  resolved_at: '2026-06-06T12:00:04.000Z',
  matched: {
    index: 0,
    kind: 'code',
    at: '2026-06-06T12:00:03.000Z',
    object: { noun: 'sms', id: smsInboundExample.id, record: null },
    outcome: null,
    code: '482913',
  },
  metadata: {},
};

const one = { params: z.strictObject({ wait_id: Uuid }) };

export const waits = defineOperations('waits', 'Wait for any of several things, on any channel.', {
  create: {
    method: 'POST',
    path: '/v1/waits',
    conversation: 'wait',
    summary: 'Wait for the first of several things',
    description:
      'The wait is stored and goes on until one condition is true, it expires or is canceled. wait.resolved, wait.expired and wait.canceled are events.',
    body: WaitCreate,
    body_example: { any_of: waitExample.any_of, wait_seconds: 30 },
    idempotent: true,
    success: { status: 201, body: Wait, example: waitExample },
    errors: [
      'invalid_wait_time',
      'wait_target_not_found',
      'too_many_waits',
      'too_many_waiters',
      'outlives_credential',
    ],
  },
  list: {
    method: 'GET',
    path: '/v1/waits',
    conversation: 'wait',
    summary: 'List waits, newest first',
    description: 'Waits that are over are deleted after 30 days.',
    query: z.strictObject({ ...pageQuery, status: z.enum(waitLifecycle.states).optional() }),
    success: {
      status: 200,
      body: pageOf(Wait, 'WaitPage'),
      example: { items: [waitExample], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/waits/{wait_id}',
    conversation: 'wait',
    summary: 'Read a wait, or wait for its end',
    ...one,
    query: z.strictObject({
      wait_seconds: queryInteger({
        min: 0,
        max: limits.wait_max_seconds,
        default: 0,
        description: 'Waits at most this long while the wait is pending.',
      }),
    }),
    success: { status: 200, body: Wait, example: waitExample },
    errors: ['too_many_waiters'],
  },
  cancel: {
    method: 'POST',
    path: '/v1/waits/{wait_id}/cancel',
    conversation: 'wait',
    summary: 'Cancel a pending wait',
    ...one,
    success: { status: 200, body: Wait, example: { ...waitExample, status: 'canceled', matched: null } },
    errors: ['wait_already_over'],
  },
});
