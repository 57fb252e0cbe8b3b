// The call record with its states, its timeline and its transcript.
import { z } from 'zod';
import { AgentVariables } from '../../agents/agent-fields.ts';
import { holdFields } from '../../rules/approvals/hold.ts';
import { pageOf, Timestamp, Uuid } from '../../schema/fields.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';
import { seriesOf, statusCounts } from '../channel-statistics.ts';
import { no_result, ResultSchema, resultFields } from './call-results.ts';
import { CallTransfer } from './call-transfers.ts';

export const callDirections = ['outbound', 'inbound'] as const;
export const callAnswerers = ['human', 'machine', 'unknown'] as const;

export const callEndReasons = [
  'callee_hangup',
  'agent_hangup',
  'api_hangup',
  'max_duration',
  'silence_timeout',
  'not_understood',
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
  'not_allowed',
  'llm_not_configured',
  'approval_rejected',
  'approval_expired',
  'colleague_hangup',
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
    // A rule holds the call back before the carrier dials it.
    requeued: { from: ['dialing'], to: 'queued' },
    rang: { from: ['dialing'], to: 'ringing' },
    answered: { from: ['dialing', 'ringing'], to: 'in_progress', emits: 'call.answered' },
    hung_up: { from: ['in_progress'], to: 'completed', emits: 'call.completed' },
    declined: { from: ['dialing', 'ringing'], to: 'busy', emits: 'call.busy' },
    rang_out: { from: ['dialing', 'ringing'], to: 'no_answer', emits: 'call.no_answer' },
    broke: { from: ['queued', 'dialing', 'ringing', 'in_progress'], to: 'failed', emits: 'call.failed' },
    canceled: { from: ['queued', 'dialing', 'ringing'], to: 'canceled' },
  },
});
export type CallEndReason = (typeof callEndReasons)[number];
export type CallTrigger = keyof typeof callLifecycle.moves;
/** The triggers that a carrier can report. */
export type CarrierTrigger = Exclude<CallTrigger, 'requeued'>;

/** Final states: no transition leaves them. */
export const finalCallStates = ['completed', 'failed', 'busy', 'no_answer', 'canceled'] as const;
export const isFinalCall = (status: string): boolean =>
  (finalCallStates as readonly string[]).includes(status);

export const Call = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    conversation_id: Uuid.describe('The value you sent. Default: the id of the call.'),
    agent_id: Uuid.nullable(),
    agent_version: z.int().nullable().describe('The version of the agent that the call uses.'),
    variables: AgentVariables,
    direction: z.enum(callDirections),
    status: z.enum(callLifecycle.states),
    end_reason: z.enum(callEndReasons).nullable(),
    from: z.string().nullable().describe('null while the call waits for a pool number.'),
    to: z.string(),
    provider: z.string().nullable().describe('The carrier; null until a number is chosen.'),
    provider_call_id: z.string().nullable(),
    answered_by: z.enum(callAnswerers).nullable(),
    requested_at: Timestamp,
    started_at: Timestamp.nullable().describe('When the carrier started to dial.'),
    ringing_at: Timestamp.nullable(),
    answered_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    duration_seconds: z.number().int().nullable().describe('From the moment of the answer to the end.'),
    recording_url: z.string().nullable(),
    result_schema: ResultSchema.nullable(),
    ...resultFields,
    transfer: CallTransfer.nullable(),
    handoff_data: z.string().nullable().describe('What the relay sent when it ended the call.'),
    parent_call_id: Uuid.nullable(),
    content_erased_at: Timestamp.nullable().describe(
      'When its content was erased, by retention or with the person.',
    ),
    ...holdFields,
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Call' });
export type Call = z.infer<typeof Call>;

export const callExample: Call = {
  id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
  organization_id: '00000000-0000-0000-0000-000000000000',
  conversation_id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
  agent_id: null,
  agent_version: null,
  variables: {},
  direction: 'outbound',
  status: 'completed',
  end_reason: 'agent_hangup',
  from: '+15005550100',
  to: '+15005550201',
  provider: 'sandbox',
  provider_call_id: 'sandbox-call-019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
  answered_by: 'human',
  requested_at: '2026-06-06T12:00:00.000Z',
  started_at: '2026-06-06T12:00:00.100Z',
  ringing_at: '2026-06-06T12:00:00.300Z',
  answered_at: '2026-06-06T12:00:01.800Z',
  ended_at: '2026-06-06T12:00:31.800Z',
  duration_seconds: 30,
  recording_url: null,
  ...no_result,
  transfer: null,
  handoff_data: null,
  parent_call_id: null,
  content_erased_at: null,
  hold: null,
  scheduled_at: null,
  metadata: {},
};

export const callEventKinds = [
  'requested',
  'held',
  'released',
  'preparing',
  'dialed',
  'requeued',
  'placed',
  'rang',
  'answered',
  'answered_by',
  'interrupted',
  'digits_pressed',
  'digits_sent',
  'tool_called',
  'tool_answered',
  'tool_failed',
  'instructed',
  'transfer_requested',
  'transfer_dialed',
  'transfer_answered',
  'transfer_briefed',
  'transfer_accepted',
  'transfer_connected',
  'transfer_failed',
  'transfer_canceled',
  'transfer_ended',
  'resumed',
  'not_understood',
  'went_wrong',
  'relay_ended',
  'message_left',
  'hang_up_requested',
  'recorded',
  'not_recorded',
  'hung_up',
  'declined',
  'rang_out',
  'broke',
  'canceled',
] as const;
export type CallEventKind = (typeof callEventKinds)[number];

export const CallTimelineEntry = z
  .strictObject({
    id: Uuid,
    kind: z.enum(callEventKinds),
    occurred_at: Timestamp,
    detail: z.record(z.string(), z.unknown()).describe('Further details, in the wording of the carrier.'),
  })
  .meta({ id: 'CallTimelineEntry' });
export type CallTimelineEntry = z.infer<typeof CallTimelineEntry>;

export const CallTimeline = pageOf(CallTimelineEntry, 'CallTimeline');

export const callSpeakers = ['agent', 'person', 'colleague'] as const;

export const CallTurn = z
  .strictObject({
    speaker: z.enum(callSpeakers),
    text: z.string().describe('For the agent: only the part that was played before an interruption.'),
    started_ms: z.number().int().describe('Milliseconds after the call was answered.'),
    ended_ms: z.number().int(),
    is_interrupted: z.boolean(),
    is_filler: z.boolean().describe('Said while the agent waited for a tool.'),
    is_private: z.boolean().describe('Only the colleague heard it.'),
    requested_by: z.enum(['api']).nullable(),
    timings: z
      .strictObject({
        endpoint_ms: z.number(),
        stt_ms: z.number(),
        first_token_ms: z.number(),
        tool_ms: z
          .number()
          .optional()
          .describe('Spent in tools before the first word, within first_token_ms.'),
        first_byte_ms: z.number(),
        first_frame_ms: z.number(),
        total_ms: z.number(),
      })
      .nullable()
      .describe('For turns of the agent: how long each step took before the first sound.'),
  })
  .meta({ id: 'CallTurn' });
export type CallTurn = z.infer<typeof CallTurn>;

export const CallTranscript = z
  .strictObject({
    call_id: Uuid,
    is_final: z.boolean().describe('false while the call is in progress.'),
    turns: z.array(CallTurn).describe('In the order in which they started.'),
  })
  .meta({ id: 'CallTranscript' });

const CallsByStatus = statusCounts(callLifecycle.states, 'CallsByStatus');

export const CallStatistics = z
  .strictObject({
    from: Timestamp,
    to: Timestamp,
    total: z.number().int(),
    by_status: CallsByStatus,
    series: seriesOf(CallsByStatus),
    duration_seconds: z.number().int().describe('Total of all calls, from answer to end.'),
  })
  .meta({ id: 'CallStatistics' });
export type CallStatistics = z.infer<typeof CallStatistics>;

const counts_by_status: CallStatistics['by_status'] = {
  queued: 0,
  dialing: 0,
  ringing: 0,
  in_progress: 1,
  completed: 8,
  failed: 1,
  busy: 1,
  no_answer: 1,
  canceled: 0,
};
export const callStatisticsExample: CallStatistics = {
  from: '2026-05-07T12:00:00.000Z',
  to: '2026-06-06T12:00:00.000Z',
  total: 12,
  by_status: counts_by_status,
  series: [{ bucket_start: '2026-06-06T00:00:00.000Z', by_status: counts_by_status }],
  duration_seconds: 431,
};
