// The events of conversations.
import { z } from 'zod';
import { defineEvents } from '../event.ts';
import { Uuid } from '../schema/fields.ts';
import { ConversationResult, conversationResultExample } from './conversation-results.ts';
import { Conversation, conversationExample } from './conversations.ts';

const { shape } = Conversation;
const ConversationData = z
  .strictObject({
    id: Uuid,
    changed: z.array(z.string()).describe('The fields that changed; empty for a new conversation.'),
    kind: shape.kind,
    status: shape.status,
    assignee: shape.assignee,
    labels: shape.labels,
    last_item: shape.last_item,
  })
  .meta({ id: 'ConversationData' });
export type ConversationData = z.infer<typeof ConversationData>;

const ConversationMergedData = z
  .strictObject({ id: Uuid.describe('The conversation that remains.'), merged_id: Uuid })
  .meta({ id: 'ConversationMergedData' });

const HandedOverData = z
  .strictObject({
    id: Uuid.describe('The conversation.'),
    agent_id: Uuid.nullable().describe('The agent that gave it away; null when a person took it.'),
    reason: z.string(),
    assignee: shape.assignee,
  })
  .meta({ id: 'ConversationHandedOverData' });

const AgentFailedData = z
  .strictObject({
    id: Uuid.describe('The conversation, or its thread.'),
    channel: z.enum(['sms', 'email']),
    message_id: Uuid.describe('The message that was to be answered.'),
    agent_id: Uuid,
    detail: z.string(),
    has_fallback: z.boolean().describe('true: fallback_message of the agent was sent.'),
  })
  .meta({ id: 'ConversationAgentFailedData' });

const ConversationResultData = z
  .strictObject({ id: Uuid.describe('The conversation.'), result: ConversationResult })
  .meta({ id: 'ConversationResultData' });

const HandOverNotifiedData = z
  .strictObject({
    id: Uuid.describe('The conversation.'),
    agent_id: Uuid,
    destination: z.string().describe('The name of the destination of the agent.'),
    email_id: Uuid.nullable().describe('The email with the summary; null when it was not sent.'),
    detail: z.string().nullable().describe('Why it was not sent.'),
  })
  .meta({ id: 'ConversationHandOverNotifiedData' });

const { id, kind, status, assignee, labels, last_item } = conversationExample;
const example = { id, changed: [] as string[], kind, status, assignee, labels, last_item };

export const conversationEvents = defineEvents({
  'conversation.created': {
    meaning: 'The first email, text or call with a person or a group.',
    data: ConversationData,
    example,
  },
  'conversation.updated': {
    meaning: 'The status, assignee or labels of a conversation changed.',
    data: ConversationData,
    example: { ...example, changed: ['status'] },
  },
  'conversation.handed_over': {
    meaning: 'An agent gave a conversation to a person, or a person took it over.',
    data: HandedOverData,
    example: {
      id,
      agent_id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
      reason: 'Asks for a refund.',
      assignee: null,
    },
  },
  'conversation.hand_over_notified': {
    meaning:
      'No person answered for 15 minutes after an agent asked for one: hand_over_to was told by email.',
    data: HandOverNotifiedData,
    example: {
      id,
      agent_id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
      destination: 'office',
      email_id: '019a8c1e-6f70-7182-93a4-b5c6d7e8f901',
      detail: null,
    },
  },
  'conversation.result_ready': {
    meaning: 'The result of a conversation that an agent finished is ready, or could not be made.',
    data: ConversationResultData,
    example: { id, result: conversationResultExample },
  },
  'conversation.released': {
    meaning: 'A conversation was given back to its agent.',
    data: z.strictObject({ id: Uuid }).meta({ id: 'ConversationReleasedData' }),
    example: { id },
  },
  'conversation.agent_failed': {
    meaning: 'The language model of an agent failed to answer a message after several attempts.',
    data: AgentFailedData,
    example: {
      id,
      channel: 'sms',
      message_id: '019a8c1e-7081-7293-84a5-1f2031425364',
      agent_id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
      detail: 'The language model failed 4 times.',
      has_fallback: false,
    },
  },
  'conversation.merged': {
    meaning: 'A conversation was merged into another one.',
    data: ConversationMergedData,
    example: { id, merged_id: '9b7c1d2e-04f5-8a63-8b1c-2d3e4f506172' },
  },
});
