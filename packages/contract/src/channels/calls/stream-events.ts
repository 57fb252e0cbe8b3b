// Events that are sent only on the event stream: they are too frequent for webhooks or only useful live.
import { z } from 'zod';
import { toolFailures } from '../../agents/tool-calls.ts';
import { defineEvents } from '../../event.ts';
import { Uuid } from '../../schema/fields.ts';
import { CallTurn, callDirections } from './call-records.ts';

const CallSaidData = z
  .strictObject({
    id: Uuid.describe('The id of the call.'),
    ...CallTurn.omit({ timings: true }).shape,
  })
  .meta({ id: 'CallSaidData' });

const CallToolCalledData = z
  .strictObject({
    id: Uuid.describe('The id of the call.'),
    tool_call_id: Uuid,
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'CallToolCalledData' });

const CallToolAnsweredData = z
  .strictObject({
    id: Uuid.describe('The id of the call.'),
    tool_call_id: Uuid,
    tool: z.string(),
    error: z.enum(toolFailures).nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'CallToolAnsweredData' });

export const phoneStates = ['ringing', 'in_progress', 'ended'] as const;

const SandboxPhoneData = z
  .strictObject({
    id: Uuid.describe('The id of the call.'),
    status: z.enum(phoneStates),
    direction: z.enum(callDirections).describe('From the view of your agent: outbound when it calls you.'),
    from: z.string(),
    to: z.string(),
  })
  .meta({ id: 'SandboxPhoneData' });

const call_id = '019a8c1e-9f10-7a44-8c2b-5d6e7f809112';
const tool_call_id = '019a8c1e-c0de-7a11-8b22-3c4d5e6f7081';

export const streamEvents = defineEvents({
  'call.said': {
    meaning: 'A sentence was spoken on a call: the live transcript.',
    data: CallSaidData,
    example: {
      id: call_id,
      speaker: 'person',
      text: 'Hello, this is Thomas.',
      started_ms: 300,
      ended_ms: 1700,
      is_interrupted: false,
      is_filler: false,
      is_private: false,
      requested_by: null,
    },
  },
  'call.tool_called': {
    meaning: 'An agent on a call started to use a tool.',
    data: CallToolCalledData,
    example: { id: call_id, tool_call_id, tool: 'check_slots', arguments: { day: '2026-06-08' } },
  },
  'call.tool_answered': {
    meaning: 'A tool that an agent used on a call answered or failed.',
    data: CallToolAnsweredData,
    example: { id: call_id, tool_call_id, tool: 'check_slots', error: null, duration_ms: 240 },
  },
  'sandbox.phone_changed': {
    meaning: 'A call at the sandbox phone is ringing, was answered or has ended.',
    data: SandboxPhoneData,
    example: {
      id: call_id,
      status: 'ringing',
      direction: 'outbound',
      from: '+15005550100',
      to: '+15005550210',
    },
  },
});
export type StreamEventType = keyof typeof streamEvents;
export const streamEventTypes = Object.keys(streamEvents) as StreamEventType[];
