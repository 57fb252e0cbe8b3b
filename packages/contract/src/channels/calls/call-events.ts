// The events of a call.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import {
  Call,
  callAnswerers,
  callDirections,
  callEndReasons,
  callExample,
  callLifecycle,
} from './call-records.ts';
import { callResultLifecycle, ready_result } from './call-results.ts';

const CallEventData = z
  .strictObject({
    id: Uuid.describe('The id of the call.'),
    direction: z.enum(callDirections),
    status: z.enum(callLifecycle.states),
    end_reason: z.enum(callEndReasons).nullable(),
    from: z.string().nullable(),
    to: z.string(),
    agent_id: Uuid.nullable(),
    answered_by: z.enum(callAnswerers).nullable(),
    requested_at: Timestamp,
    answered_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    duration_seconds: z.number().int().nullable(),
    result_status: z.enum(callResultLifecycle.states).describe('pending: call.result_ready follows.'),
    handoff_data: Call.shape.handoff_data,
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
  result_status: 'none',
  handoff_data: null,
  metadata: {},
};
const never_answered = {
  ...answered,
  answered_by: null,
  answered_at: null,
  ended_at: '2026-06-06T12:00:30.000Z',
  result_status: 'skipped' as const,
};

export const callEvents = defineEvents({
  'call.answered': { meaning: 'The callee answered.', data: CallEventData, example: answered },
  'call.completed': {
    meaning: 'The call ended normally.',
    data: CallEventData,
    example: {
      ...answered,
      status: 'completed',
      end_reason: 'callee_hangup',
      ended_at: '2026-06-06T12:01:04.000Z',
      duration_seconds: 60,
      result_status: 'pending',
    },
  },
  'call.failed': {
    meaning: 'The call could not be connected, broke off, or was ended by the service.',
    data: CallEventData,
    example: { ...never_answered, status: 'failed', end_reason: 'trunk_failure' },
  },
  'call.busy': {
    meaning: 'The callee was busy or declined.',
    data: CallEventData,
    example: { ...never_answered, status: 'busy', end_reason: 'busy' },
  },
  'call.no_answer': {
    meaning: 'The callee did not answer in time.',
    data: CallEventData,
    example: { ...never_answered, status: 'no_answer', end_reason: 'ring_timeout' },
  },
  'call.result_ready': {
    meaning: 'The result of a call was made, or could not be made: result_status is ready or failed.',
    data: Call,
    example: { ...callExample, ...ready_result, evidence: { pays_on: [4] } },
  },
});
