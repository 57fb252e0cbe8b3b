// Conversation tokens: short-lived credentials that read one conversation and write only to the people who wrote in it.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { ConversationRef, Timestamp, Uuid } from '../../schema/fields.ts';
import { conversationRights } from './conversation-rights.ts';

export const conversation_token_prefix = 'pct_';

const May = z
  .array(z.enum(conversationRights))
  .describe(
    'read: its emails, texts and calls. reply: POST /v1/emails/{email_id}/reply and POST /v1/sms to people who wrote in it. wait: for what happens in it.',
  );

const ConversationToken = z
  .strictObject({
    id: Uuid,
    conversation_id: Uuid,
    may: May,
    budget: z
      .strictObject({ max_count: z.int(), used_count: z.int() })
      .nullable()
      .describe('Messages it may send in all; null: no limit.'),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'ConversationToken' });
export type ConversationToken = z.output<typeof ConversationToken>;

export const NewConversationToken = z
  .strictObject({ ...ConversationToken.shape, token: z.string().describe('Shown once.') })
  .meta({ id: 'NewConversationToken' });
export type NewConversationToken = z.output<typeof NewConversationToken>;

export const ConversationTokenCreate = z
  .strictObject({
    expires_in_seconds: z
      .int()
      .min(60)
      .max(limits.conversation_token_seconds)
      .optional()
      .describe('Default: 3600.'),
    may: May.min(1).max(conversationRights.length).optional().describe('Default: all.'),
    budget: z
      .strictObject({ max_count: z.int().min(0).max(10_000) })
      .nullish()
      .describe('Messages it may send in all.'),
  })
  .meta({ id: 'ConversationTokenCreate' });
export type ConversationTokenCreate = z.output<typeof ConversationTokenCreate>;

const example: ConversationToken = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e95',
  conversation_id: '019a8c1e-8d20-7b56-a1c3-6e7f80911224',
  may: ['read', 'reply'],
  budget: { max_count: 10, used_count: 0 },
  created_at: '2026-06-06T12:00:00.000Z',
  expires_at: '2026-06-06T13:00:00.000Z',
};
const of_conversation = { params: z.strictObject({ conversation_id: ConversationRef }) };

export const conversationTokens = defineOperations(
  'conversation_tokens',
  'Credentials for one conversation: for programs that read what strangers write.',
  {
    create: {
      method: 'POST',
      path: '/v1/conversations/{conversation_id}/tokens',
      summary: 'Create a token for one conversation',
      description:
        'For a conversation with all of its threads, or for one thread (conversation_id of a record). Other conversations are 404 for the token, other operations and recipients 403. The budgets and rules of your credential apply to it, and it ends with your credential.',
      ...of_conversation,
      body: ConversationTokenCreate,
      body_example: { expires_in_seconds: 3600, may: ['read', 'reply'], budget: { max_count: 10 } },
      success: {
        status: 201,
        body: NewConversationToken,
        example: { ...example, token: `${conversation_token_prefix}…` },
      },
      errors: ['outlives_credential', 'too_many_keys'],
    },
    list: {
      method: 'GET',
      path: '/v1/conversations/{conversation_id}/tokens',
      summary: 'List the valid tokens of a conversation',
      ...of_conversation,
      success: {
        status: 200,
        body: z.strictObject({ items: z.array(ConversationToken) }).meta({ id: 'ConversationTokenList' }),
        example: { items: [example] },
      },
    },
    revoke: {
      method: 'DELETE',
      path: '/v1/conversations/{conversation_id}/tokens/{conversation_token_id}',
      summary: 'Revoke a token',
      description: 'It stops working within a second. Its messages that still wait are not sent.',
      params: z.strictObject({ conversation_id: ConversationRef, conversation_token_id: Uuid }),
      success: { status: 204 },
    },
  },
);
