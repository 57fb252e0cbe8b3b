// Events that only the stream tells: what changes too often for a webhook, and what only matters while somebody looks on.
import { z } from 'zod';
import { CallTurn, callDirections } from './call-records.ts';
import { defineEvents } from './event.ts';
import { Uuid } from './fields.ts';

const CallSaidData = z
  .strictObject({
    id: Uuid.describe('The call.'),
    ...CallTurn.omit({ timings: true }).shape,
  })
  .meta({ id: 'CallSaidData' });

export const phoneStates = ['ringing', 'in_progress', 'ended'] as const;

const SandboxPhoneData = z
  .strictObject({
    id: Uuid.describe('The call.'),
    status: z.enum(phoneStates),
    direction: z.enum(callDirections).describe('As your agent sees it: outbound when it calls you.'),
    from: z.string(),
    to: z.string(),
  })
  .meta({ id: 'SandboxPhoneData' });

const call_id = '019a8c1e-9f10-7a44-8c2b-5d6e7f809112';

export const streamEvents = defineEvents({
  'call.said': {
    meaning: 'Somebody on a call has said something: the transcript while it grows.',
    data: CallSaidData,
    example: {
      id: call_id,
      speaker: 'person',
      text: 'Hello, this is Thomas.',
      started_ms: 300,
      ended_ms: 1700,
      is_interrupted: false,
    },
  },
  'sandbox.phone_changed': {
    meaning: 'A call at your own phone in the sandbox rings, was answered or is over.',
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
