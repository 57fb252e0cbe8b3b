// The result of a conversation by text or email: the same as that of a call, made when an agent finishes the conversation.
import { z } from 'zod';
import { ready_result, resultFields } from '../channels/calls/call-results.ts';
import { Timestamp, Uuid } from '../schema/fields.ts';
import { defineLifecycle } from '../schema/lifecycle.ts';

export const conversationResultLifecycle = defineLifecycle({
  subject: 'conversation_result',
  initial: 'pending',
  states: ['pending', 'ready', 'failed', 'skipped'],
  moves: {
    settled: { from: ['pending'], to: 'ready', emits: 'conversation.result_ready' },
    gave_up: { from: ['pending'], to: 'failed', emits: 'conversation.result_ready' },
    passed_over: { from: ['pending'], to: 'skipped' },
  },
});
export type ConversationResultStatus = (typeof conversationResultLifecycle.states)[number];

const { result_status: _, ...fields } = resultFields;

export const ConversationResult = z
  .strictObject({
    status: z.enum(conversationResultLifecycle.states).describe('skipped: nothing is left to report about.'),
    agent_id: Uuid,
    channel: z.enum(['sms', 'email']),
    ...fields,
    requested_at: Timestamp,
    settled_at: Timestamp.nullable(),
  })
  .meta({ id: 'ConversationResult' });
export type ConversationResult = z.infer<typeof ConversationResult>;

const { result_status: status, ...values } = ready_result;
export const conversationResultExample: ConversationResult = {
  status,
  agent_id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
  channel: 'sms',
  ...values,
  evidence: { pays_on: [4] },
  requested_at: '2026-06-06T12:00:00.000Z',
  settled_at: '2026-06-06T12:00:03.000Z',
};
