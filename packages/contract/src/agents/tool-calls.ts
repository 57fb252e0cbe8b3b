// Tool calls: what agents did or looked up with their tools, and the answers of client tools.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { ConversationRef, pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { defineLifecycle, type StateOf } from '../schema/lifecycle.ts';

export const toolKinds = ['built_in', 'http', 'mcp', 'client'] as const;
export const toolEffects = ['read', 'act'] as const;
export const toolFailures = [
  'timeout',
  'refused',
  'unreachable',
  'invalid_arguments',
  'invalid_result',
  'not_allowed',
  'cancelled',
  'limit_reached',
  'input_required',
  'approval_denied',
] as const;

export const toolCallLifecycle = defineLifecycle({
  subject: 'tool_call',
  initial: 'running',
  also_begins_as: ['waiting_approval'],
  states: ['running', 'done', 'failed', 'cancelled', 'unknown', 'waiting_approval', 'approved'],
  moves: {
    was_approved: { from: ['waiting_approval'], to: 'approved' },
    was_denied: { from: ['waiting_approval'], to: 'failed' },
    // The conversation ended before the decision, or before the call could be made.
    was_abandoned: { from: ['waiting_approval', 'approved'], to: 'cancelled' },
    started: { from: ['approved'], to: 'running' },
    succeeded: { from: ['running'], to: 'done' },
    failed: { from: ['running'], to: 'failed' },
    was_cancelled: { from: ['running'], to: 'cancelled' },
    // The process that ran it is gone.
    was_lost: { from: ['running'], to: 'unknown' },
  },
});
export type ToolCallStatus = StateOf<typeof toolCallLifecycle>;

export const ToolCallRecord = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    conversation_id: Uuid,
    call_id: Uuid.nullable(),
    agent_id: Uuid.nullable(),
    name: z.string(),
    kind: z.enum(toolKinds),
    effect: z.enum(toolEffects).describe('act: it may have changed something.'),
    arguments: z
      .record(z.string(), z.unknown())
      .describe('Without the values that the tool keeps out of records.'),
    status: z
      .enum(toolCallLifecycle.states)
      .describe(
        'unknown: the process stopped before the answer, and an act is not repeated. approved: it runs soon.',
      ),
    error: z.enum(toolFailures).nullable(),
    detail: z.string().nullable().describe('Why it failed.'),
    result: z.string().nullable().describe('The first 2,000 characters.'),
    approval_id: Uuid.nullable(),
    requested_at: Timestamp,
    settled_at: Timestamp.nullable(),
    duration_ms: z.int().nullable(),
  })
  .meta({ id: 'ToolCall' });
export type ToolCallRecord = z.infer<typeof ToolCallRecord>;

const tool_call_id = '019a8c1e-c0de-7a11-8b22-3c4d5e6f7081';
const call_id = '019a8c1e-9f10-7a44-8c2b-5d6e7f809112';

export const toolCallExample: ToolCallRecord = {
  id: tool_call_id,
  organization_id: '00000000-0000-0000-0000-000000000000',
  conversation_id: call_id,
  call_id,
  agent_id: null,
  name: 'check_slots',
  kind: 'http',
  effect: 'read',
  arguments: { day: '2026-06-08' },
  status: 'done',
  error: null,
  detail: null,
  result: '["10:00","11:30"]',
  approval_id: null,
  requested_at: '2026-06-06T12:00:12.000Z',
  settled_at: '2026-06-06T12:00:12.240Z',
  duration_ms: 240,
};

const json_value = 'Any JSON value; at most 64 KiB.';

export const ToolResult = z
  .strictObject({
    tool_call_id: Uuid,
    result: z
      .unknown()
      .refine((value) => JSON.stringify(value ?? null).length <= limits.tool_result_bytes, json_value)
      .optional()
      .describe(json_value),
    error: z.string().trim().min(1).max(300).optional().describe('Why it could not be done, for the agent.'),
    say: z.string().trim().min(1).max(500).optional().describe('Spoken word for word.'),
  })
  .refine(({ result, error }) => (result === undefined) !== (error === undefined), {
    message: 'Send either result or error',
    path: ['result'],
  })
  .meta({ id: 'ToolResult' });
export type ToolResult = z.output<typeof ToolResult>;

const ToolResultAccepted = z
  .strictObject({ tool_call_id: Uuid, status: z.literal('accepted') })
  .meta({ id: 'ToolResultAccepted' });

export const toolCalls = defineOperations('tool_calls', 'What agents did and looked up with their tools.', {
  list: {
    method: 'GET',
    path: '/v1/tool-calls',
    summary: 'List tool calls, newest first',
    query: z.strictObject({
      ...pageQuery,
      call_id: Uuid.optional(),
      conversation_id: ConversationRef.optional(),
      status: z.enum(toolCallLifecycle.states).optional(),
    }),
    success: {
      status: 200,
      body: pageOf(ToolCallRecord, 'ToolCallPage'),
      example: { items: [toolCallExample], next_cursor: null },
    },
  },
  answer: {
    method: 'POST',
    path: '/v1/calls/{call_id}/tool-results',
    summary: 'Answer a client tool of an agent on a call',
    description:
      'Answers the event call.tool_requested. The first answer wins; after expires_at the agent has gone on.',
    params: z.strictObject({ call_id: Uuid }),
    body: ToolResult,
    body_example: { tool_call_id, result: { ticket: 'T-17' } },
    success: {
      status: 200,
      body: ToolResultAccepted,
      example: { tool_call_id, status: 'accepted' },
    },
    errors: ['tool_call_already_settled', 'call_already_ended'],
  },
  answer_in_conversation: {
    method: 'POST',
    path: '/v1/conversations/{conversation_id}/tool-results',
    summary: 'Answer a client tool of an agent that writes texts or emails',
    description: 'Answers the event conversation.tool_requested. The first answer wins, until expires_at.',
    params: z.strictObject({ conversation_id: ConversationRef }),
    body: ToolResult,
    body_example: { tool_call_id, result: { ticket: 'T-17' } },
    success: {
      status: 200,
      body: ToolResultAccepted,
      example: { tool_call_id, status: 'accepted' },
    },
    errors: ['tool_call_already_settled'],
  },
});
