// The events of tool calls.
import { z } from 'zod';
import { defineEvents } from '../event.ts';
import { Timestamp, Uuid } from '../schema/fields.ts';

const CallToolRequestedData = z
  .strictObject({
    id: Uuid.describe('The id of the call.'),
    tool_call_id: Uuid,
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    expires_at: Timestamp,
    agent_id: Uuid.nullable(),
  })
  .meta({ id: 'CallToolRequestedData' });

const ConversationToolRequestedData = CallToolRequestedData.extend({
  id: Uuid.describe('The conversation, or its thread.'),
  message_id: Uuid.describe('The message that the agent answers.'),
}).meta({ id: 'ConversationToolRequestedData' });

const ToolApprovalRequestedData = z
  .strictObject({
    tool_call_id: Uuid,
    approval_id: Uuid,
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    conversation_id: Uuid,
    call_id: Uuid.nullable().describe('The call on which the person waits for the decision.'),
    agent_id: Uuid.nullable(),
    expires_at: Timestamp,
  })
  .meta({ id: 'ToolApprovalRequestedData' });

export const toolCallEvents = defineEvents({
  'tool.approval_requested': {
    meaning: 'An agent waits for the approval of a tool call: POST /v1/approvals/{approval_id}/approve.',
    data: ToolApprovalRequestedData,
    example: {
      tool_call_id: '019a8c1e-c0de-7a11-8b22-3c4d5e6f7081',
      approval_id: '019a8c1e-9a10-7c22-8d33-4e5f60718293',
      tool: 'book_slot',
      arguments: { day: '2026-06-08' },
      conversation_id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
      call_id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
      agent_id: null,
      expires_at: '2026-06-06T12:01:12.000Z',
    },
  },
  'conversation.tool_requested': {
    meaning:
      'An agent that answers a text or an email waits for a client tool: POST /v1/conversations/{conversation_id}/tool-results.',
    data: ConversationToolRequestedData,
    example: {
      id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809113',
      message_id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809114',
      tool_call_id: '019a8c1e-c0de-7a11-8b22-3c4d5e6f7081',
      tool: 'open_ticket',
      arguments: { subject: 'The heating is cold' },
      expires_at: '2026-06-06T12:00:22.000Z',
      agent_id: null,
    },
  },
  'call.tool_requested': {
    meaning:
      'An agent on a call waits for the answer of a client tool: POST /v1/calls/{call_id}/tool-results.',
    data: CallToolRequestedData,
    example: {
      id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
      tool_call_id: '019a8c1e-c0de-7a11-8b22-3c4d5e6f7081',
      tool: 'open_ticket',
      arguments: { subject: 'The heating is cold' },
      expires_at: '2026-06-06T12:00:22.000Z',
      agent_id: null,
    },
  },
});
