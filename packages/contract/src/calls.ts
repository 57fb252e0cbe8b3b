// Calls: the states a spoken call goes through and the events that tell of them.
import { z } from 'zod';
import { defineEvents } from './event.ts';
import { Timestamp, Uuid } from './fields.ts';
import { defineLifecycle } from './lifecycle.ts';

export const callEndReasons = [
  'callee_hangup',
  'agent_hangup',
  'api_hangup',
  'max_duration',
  'silence_timeout',
  'voicemail',
  'busy',
  'rejected',
  'ring_timeout',
  'unreachable',
  'canceled',
  'no_number_available',
  'setup_error',
  'trunk_failure',
  'media_failure',
  'force_closed',
  'insufficient_funds',
] as const;

export const callLifecycle = defineLifecycle({
  subject: 'call',
  initial: 'queued',
  states: [
    'queued',
    'dialing',
    'ringing',
    'in_progress',
    'completed',
    'failed',
    'busy',
    'no_answer',
    'canceled',
  ],
  moves: {
    dialed: { from: ['queued'], to: 'dialing' },
    rang: { from: ['dialing'], to: 'ringing' },
    answered: { from: ['dialing', 'ringing'], to: 'in_progress', emits: 'call.answered' },
    hung_up: { from: ['in_progress'], to: 'completed', emits: 'call.completed' },
    declined: { from: ['dialing', 'ringing'], to: 'busy', emits: 'call.busy' },
    rang_out: { from: ['dialing', 'ringing'], to: 'no_answer', emits: 'call.no_answer' },
    broke: { from: ['queued', 'dialing', 'ringing', 'in_progress'], to: 'failed', emits: 'call.failed' },
    canceled: { from: ['queued', 'dialing', 'ringing'], to: 'canceled' },
  },
});

const CallEventData = z
  .strictObject({
    id: Uuid.describe('The call.'),
    direction: z.enum(['outbound', 'inbound']),
    status: z.enum(callLifecycle.states),
    end_reason: z.enum(callEndReasons).nullable(),
    from: z.string().nullable(),
    to: z.string(),
    agent_id: Uuid.nullable(),
    answered_by: z.enum(['human', 'machine', 'unknown']).nullable(),
    requested_at: Timestamp,
    answered_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    duration_seconds: z.number().int().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'CallEventData' });

const answered: z.input<typeof CallEventData> = {
  id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
  direction: 'outbound',
  status: 'in_progress',
  end_reason: null,
  from: '+15005550100',
  to: '+15005550001',
  agent_id: null,
  answered_by: 'human',
  requested_at: '2026-06-06T12:00:00.000Z',
  answered_at: '2026-06-06T12:00:04.000Z',
  ended_at: null,
  duration_seconds: null,
  metadata: {},
};
const never_answered = {
  ...answered,
  answered_by: null,
  answered_at: null,
  ended_at: '2026-06-06T12:00:30.000Z',
};

export const callEvents = defineEvents({
  'call.answered': { meaning: 'The callee picked up.', data: CallEventData, example: answered },
  'call.completed': {
    meaning: 'The call ended normally.',
    data: CallEventData,
    example: {
      ...answered,
      status: 'completed',
      end_reason: 'callee_hangup',
      ended_at: '2026-06-06T12:01:04.000Z',
      duration_seconds: 60,
    },
  },
  'call.failed': {
    meaning: 'The call could not be set up, broke in the middle, or was closed by force.',
    data: CallEventData,
    example: { ...never_answered, status: 'failed', end_reason: 'trunk_failure' },
  },
  'call.busy': {
    meaning: 'The callee was busy or declined.',
    data: CallEventData,
    example: { ...never_answered, status: 'busy', end_reason: 'busy' },
  },
  'call.no_answer': {
    meaning: 'Nobody picked up in time.',
    data: CallEventData,
    example: { ...never_answered, status: 'no_answer', end_reason: 'ring_timeout' },
  },
});
