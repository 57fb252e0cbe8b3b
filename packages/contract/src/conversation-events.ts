// The events of conversations.
import { z } from 'zod';
import { Conversation, conversationExample } from './conversations.ts';
import { defineEvents } from './event.ts';
import { Uuid } from './fields.ts';

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
  'conversation.merged': {
    meaning: 'A conversation was merged into another one.',
    data: ConversationMergedData,
    example: { id, merged_id: '9b7c1d2e-04f5-8a63-8b1c-2d3e4f506172' },
  },
});
