// Conversations: everything exchanged with one person, over all channels, or one email thread with several people.
import { z } from 'zod';
import { EmailAttachmentLink } from '../channels/emails/email-records.ts';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { Hold } from '../rules/approvals/hold.ts';
import { Consent, ConversationRef, Metadata, pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { ConversationResult } from './conversation-results.ts';
import { Label, LabelChange } from './labels.ts';

export const conversationKinds = ['person', 'group'] as const;
export const conversationStatuses = ['open', 'snoozed', 'closed'] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];
export const conversationChannels = ['email', 'sms', 'call'] as const;
export type ConversationChannel = (typeof conversationChannels)[number];
export const agentStates = ['agent', 'paused', 'human'] as const;
export type AgentState = (typeof agentStates)[number];
export const itemDirections = ['inbound', 'outbound'] as const;
export const authenticities = ['own', 'verified', 'unproven', 'failed', 'carrier'] as const;
export type Authenticity = (typeof authenticities)[number];

const Assignee = z
  .strictObject({ kind: z.enum(['agent', 'member']), id: Uuid })
  .meta({ id: 'ConversationAssignee' });
export type Assignee = z.infer<typeof Assignee>;

const Participant = z
  .strictObject({
    role: z
      .enum(['external', 'copied', 'own'])
      .describe('external: a person you talk to. copied: named later in the thread. own: your side.'),
    channel: z.enum(['email', 'phone']),
    address: z.string(),
    name: z.string().nullable(),
    contact_id: Uuid.nullable(),
  })
  .meta({ id: 'ConversationParticipant' });
export type Participant = z.infer<typeof Participant>;

const LastItem = z
  .strictObject({
    noun: z.enum(conversationChannels),
    id: Uuid,
    direction: z.enum(itemDirections),
    at: Timestamp,
    preview: z.string().describe('The first words of the message.'),
  })
  .meta({ id: 'ConversationLastItem' });
export type LastItem = z.infer<typeof LastItem>;

export const Conversation = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    kind: z
      .enum(conversationKinds)
      .describe('person: everything with one person. group: one email thread with several people.'),
    contact_id: Uuid.nullable(),
    title: z.string().describe('What you set, or the name of the contact, or the address.'),
    participants: z.array(Participant).describe(`At most ${limits.conversation_participants}.`),
    participants_total: z.int(),
    channels: z.array(z.enum(conversationChannels)),
    status: z.enum(conversationStatuses),
    snoozed_until: Timestamp.nullable(),
    assignee: Assignee.nullable(),
    agent_state: z
      .enum(agentStates)
      .describe(
        'agent: an agent may answer. paused: not before agent_paused_until. human: a person answers.',
      ),
    agent_paused_until: Timestamp.nullable(),
    labels: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    unread_count: z.int().describe('Received items after the read mark.'),
    item_count: z.int(),
    waiting_since: Timestamp.nullable().describe('When the first item arrived that is not answered yet.'),
    last_item: LastItem.nullable(),
    result: ConversationResult.nullable().describe('Of the last time that an agent finished it.'),
    merged_ids: z.array(Uuid).describe('Conversations that were merged into this one; their ids stay valid.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

export const ConversationItem = z
  .strictObject({
    id: Uuid.describe('The id of the email, text or call.'),
    noun: z.enum(conversationChannels),
    thread_id: Uuid.describe('conversation_id of the record.'),
    direction: z.enum(itemDirections),
    at: Timestamp,
    status: z.string().describe('The status of the record.'),
    hold: Hold.nullable(),
    end_reason: z
      .string()
      .nullable()
      .describe('Why it failed or ended: end_reason of the email or call, error_code of the text.'),
    from: z.string().nullable(),
    to: z.array(z.string()),
    subject: z.string().nullable(),
    text: z
      .string()
      .nullable()
      .describe('The new text of an email without quotations, the text message, or the transcript.'),
    is_truncated: z
      .boolean()
      .describe(`The text is longer than ${limits.conversation_item_chars} characters.`),
    attachments: z.array(EmailAttachmentLink),
    call: z
      .strictObject({
        duration_seconds: z.int().nullable(),
        end_reason: z.string().nullable(),
        answered_by: z.string().nullable(),
        turns: z.int(),
        summary: z.string().nullable(),
      })
      .meta({ id: 'ConversationItemCall' })
      .nullable(),
    authenticity: z
      .enum(authenticities)
      .describe(
        'own: you sent it. verified: DMARC passed, or the domain has no policy and SPF or DKIM passed for it. failed: DMARC failed. unproven: nothing proves the sender. carrier: a phone number, which cannot be proven.',
      ),
    is_read: z.boolean(),
  })
  .meta({ id: 'ConversationItem' });
export type ConversationItem = z.infer<typeof ConversationItem>;

export const ConversationPatch = z
  .strictObject({
    status: z.enum(conversationStatuses).optional().describe('snoozed needs snoozed_until.'),
    snoozed_until: z.iso
      .datetime({ offset: true })
      .nullish()
      .describe('The conversation opens again at this time, or when something is received.'),
    assignee: Assignee.nullish().describe(
      'An agent here answers instead of the one of the number or domain.',
    ),
    agent_paused_until: z.iso
      .datetime({ offset: true })
      .nullish()
      .describe('Agents do not answer before this time.'),
    labels: LabelChange.optional(),
    metadata: Metadata.optional(),
    title: z.string().trim().min(1).max(200).nullish(),
  })
  .describe('Fields that are left out keep their value.')
  .meta({ id: 'ConversationPatch' });
export type ConversationPatch = z.output<typeof ConversationPatch>;

export const ConversationReply = z
  .strictObject({
    body_text: z.string().min(1).max(limits.conversation_reply_chars),
    channel: z
      .enum(['email', 'sms'])
      .optional()
      .describe('Default: the channel of the last message that was received.'),
    recipient_consent: Consent,
    subject: z.string().max(limits.email_subject_chars).optional(),
    attachment_ids: z.array(Uuid).max(limits.email_attachments).optional(),
  })
  .meta({ id: 'ConversationReply' });
export type ConversationReply = z.output<typeof ConversationReply>;

export const ConversationReplyResult = z
  .strictObject({
    noun: z.enum(['email', 'sms']),
    id: Uuid,
    status: z.string(),
    hold: Hold.nullable().describe('Why it was not sent yet.'),
  })
  .meta({ id: 'ConversationReplyResult' });
export type ConversationReplyResult = z.infer<typeof ConversationReplyResult>;

export const conversationExample: Conversation = {
  id: '5c2f1e8a-93b1-8d42-a7c0-1f2e3d4c5b6a',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  kind: 'person',
  contact_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e6f',
  title: 'Ana Sousa',
  participants: [
    {
      role: 'external',
      channel: 'phone',
      address: '+14155550123',
      name: 'Ana Sousa',
      contact_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e6f',
    },
  ],
  participants_total: 1,
  channels: ['sms'],
  status: 'open',
  snoozed_until: null,
  assignee: null,
  agent_state: 'agent',
  agent_paused_until: null,
  labels: ['billing'],
  metadata: {},
  unread_count: 1,
  item_count: 14,
  waiting_since: '2026-06-06T12:00:00.000Z',
  last_item: {
    noun: 'sms',
    id: '019a8c1e-7081-7293-84a5-1f2031425364',
    direction: 'inbound',
    at: '2026-06-06T12:00:00.000Z',
    preview: 'Can you deliver on Friday?',
  },
  result: null,
  merged_ids: [],
  created_at: '2026-06-01T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};

const itemExample: ConversationItem = {
  id: '019a8c1e-7081-7293-84a5-1f2031425364',
  noun: 'sms',
  thread_id: '7d5f0c1b-22aa-8c10-9c3e-0a1b2c3d4e5f',
  direction: 'inbound',
  at: '2026-06-06T12:00:00.000Z',
  status: 'received',
  hold: null,
  end_reason: null,
  from: '+14155550123',
  to: ['+15005554001'],
  subject: null,
  text: 'Can you deliver on Friday?',
  is_truncated: false,
  attachments: [],
  call: null,
  authenticity: 'carrier',
  is_read: false,
};

const flag = (description: string) => z.enum(['true', 'false']).optional().describe(description);
const one = { params: z.strictObject({ conversation_id: ConversationRef }) };
const conversation_success = { status: 200, body: Conversation, example: conversationExample } as const;

export const conversations = defineOperations(
  'conversations',
  'Everything exchanged with one person, over all channels.',
  {
    list: {
      method: 'GET',
      path: '/v1/conversations',
      summary: 'List conversations, the one with the newest item first',
      query: z.strictObject({
        ...pageQuery,
        status: z.enum(conversationStatuses).optional(),
        assignee_id: Uuid.optional().describe('The agent or member it is assigned to.'),
        label: Label.optional(),
        contact_id: Uuid.optional(),
        channel: z.enum(conversationChannels).optional(),
        unread: flag('true: only with unread items.'),
        waiting: flag('true: only where the last word is not yours.'),
        since: z.iso.datetime({ offset: true }).optional().describe('Last item at or after this time.'),
        until: z.iso.datetime({ offset: true }).optional().describe('Last item before this time.'),
      }),
      success: {
        status: 200,
        body: pageOf(Conversation, 'ConversationPage'),
        example: { items: [conversationExample], next_cursor: null },
      },
    },
    get: {
      method: 'GET',
      path: '/v1/conversations/{conversation_id}',
      conversation: 'read',
      summary: 'Read one conversation',
      description:
        'As all operations on conversations, also takes the conversation_id of an email, text or call, and the id of a merged conversation.',
      ...one,
      success: conversation_success,
    },
    items: {
      method: 'GET',
      path: '/v1/conversations/{conversation_id}/items',
      conversation: 'read',
      summary: 'List the emails, texts and calls of a conversation',
      ...one,
      query: z.strictObject({
        ...pageQuery,
        order: z.enum(['asc', 'desc']).optional().describe('Default: desc, newest first.'),
        channel: z.enum(conversationChannels).optional(),
        thread_id: Uuid.optional(),
      }),
      success: {
        status: 200,
        body: pageOf(ConversationItem, 'ConversationItemPage'),
        example: { items: [itemExample], next_cursor: null },
      },
    },
    update: {
      method: 'PATCH',
      path: '/v1/conversations/{conversation_id}',
      summary: 'Change status, labels, assignee, title or metadata',
      ...one,
      body: ConversationPatch,
      body_example: { status: 'closed', labels: { add: ['billing'] } },
      success: { ...conversation_success, example: { ...conversationExample, status: 'closed' } },
      errors: ['snooze_in_past', 'too_many_labels', 'invalid_label', 'assignee_not_found'],
    },
    mark_read: {
      method: 'POST',
      path: '/v1/conversations/{conversation_id}/read',
      summary: 'Mark items as read or unread',
      description: 'One read mark for the whole organization. Reading over the API does not move it.',
      ...one,
      body: z
        .strictObject({
          up_to: Uuid.optional().describe('The newest item that was read. Default: the last one.'),
          unread: z
            .boolean()
            .optional()
            .describe('true: moves the mark back, so that the last received item is unread again.'),
        })
        .meta({ id: 'ConversationRead' }),
      body_example: {},
      success: { ...conversation_success, example: { ...conversationExample, unread_count: 0 } },
    },
    reply: {
      method: 'POST',
      path: '/v1/conversations/{conversation_id}/reply',
      conversation: 'reply',
      summary: 'Answer by email or text',
      description: 'Goes to the sender of the last message that was received on the channel.',
      ...one,
      body: ConversationReply,
      body_example: { body_text: 'Yes, on Friday.', recipient_consent: true },
      idempotent: true,
      success: {
        status: 201,
        body: ConversationReplyResult,
        example: { noun: 'sms', id: itemExample.id, status: 'queued', hold: null },
      },
      errors: ['nothing_to_answer'],
    },
    takeover: {
      method: 'POST',
      path: '/v1/conversations/{conversation_id}/takeover',
      summary: 'Take a conversation over from its agent',
      description: 'Agents do not answer in it until release. A member who calls it becomes the assignee.',
      ...one,
      body: z
        .strictObject({ reason: z.string().trim().max(300).optional() })
        .meta({ id: 'ConversationTakeover' }),
      body_example: {},
      success: { ...conversation_success, example: { ...conversationExample, agent_state: 'human' } },
    },
    release: {
      method: 'POST',
      path: '/v1/conversations/{conversation_id}/release',
      summary: 'Give a conversation back to its agent',
      description: 'Also ends a pause. The agent answers the next message.',
      ...one,
      success: conversation_success,
    },
    merge: {
      method: 'POST',
      path: '/v1/conversations/{conversation_id}/merge',
      summary: 'Merge a conversation into another one',
      ...one,
      body: z.strictObject({ into: ConversationRef }).meta({ id: 'ConversationMerge' }),
      body_example: { into: conversationExample.id },
      success: conversation_success,
      errors: ['conversation_not_mergeable'],
    },
  },
);
