// Calls: phone conversations held by one of your agents.
import { z } from 'zod';
import { AgentEngines, AgentTools, AgentVariables, AgentVoicemail } from '../../agents/agent-fields.ts';
import { Destinations, FirstMessage, Language, Prompt, Voice } from '../../agents/agents.ts';
import { list_filter_errors, listFilters } from '../../inbox/search/search.ts';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { holdExample, SchedulePatch, sendingFields } from '../../rules/approvals/hold.ts';
import {
  Consent,
  Metadata,
  PhoneNumber,
  pageOf,
  pageQuery,
  QueryPhone,
  TimeZone,
  Uuid,
} from '../../schema/fields.ts';
import { statisticsQuery } from '../channel-statistics.ts';
import { callControl } from './call-control.ts';
import {
  Call,
  CallStatistics,
  CallTimeline,
  CallTranscript,
  callExample,
  callLifecycle,
  callStatisticsExample,
} from './call-records.ts';
import { CallResultCreate, ready_result, resultRequestFields } from './call-results.ts';
import { callTransfer } from './call-transfers.ts';

const CallLlm = z
  .strictObject({
    base_url: z
      .string()
      .max(limits.webhook_url_chars)
      .describe(
        'Base URL of an endpoint with the chat completions protocol, including the version, such as https://llm.example.com/v1.',
      ),
    api_key: z.string().min(1).max(500).nullish().describe('Stored encrypted and never returned.'),
    model: z.string().trim().min(1).max(100),
  })
  .meta({ id: 'CallLlm' });

export const CallCreate = z
  .strictObject({
    to: PhoneNumber,
    recipient_consent: Consent,
    from: PhoneNumber.nullish().describe('One of your active voice numbers. Default: chosen for you.'),
    agent_id: Uuid.nullish().describe(
      'The agent that speaks. Fields of this request override those of the agent.',
    ),
    system_prompt: Prompt.nullish(),
    first_message: FirstMessage.nullish(),
    language: Language.nullish().describe('A BCP 47 language tag. Default: that of the agent, else en.'),
    voice: Voice.nullish(),
    llm: CallLlm.nullish().describe('Your own language model, for this call only.'),
    ring_timeout_seconds: z.number().int().min(5).max(120).nullish().describe('Default: 30.'),
    max_duration_seconds: z
      .number()
      .int()
      .min(30)
      .max(14_400)
      .nullish()
      .describe('Default: that of the agent, else 600.'),
    record: z.boolean().nullish().describe('Whether to store a stereo recording. Default: false.'),
    ai_disclosure: z
      .boolean()
      .nullish()
      .describe(
        'Whether the call starts with the sentence that the speaker is an AI. Default: that of the agent, else true.',
      ),
    variables: AgentVariables.nullish(),
    context: z
      .string()
      .trim()
      .max(limits.call_context_chars)
      .nullish()
      .describe('Facts for this call, given to the model as data.'),
    tools: AgentTools.nullish(),
    destinations: Destinations.nullish(),
    engines: AgentEngines.nullish(),
    voicemail: AgentVoicemail.nullish(),
    timezone: TimeZone.nullish(),
    ...resultRequestFields,
    conversation_id: Uuid.nullish(),
    ...sendingFields,
    metadata: Metadata.nullish(),
  })
  .meta({ id: 'CallCreate' });
export type CallCreate = z.output<typeof CallCreate>;

const queued: Call = {
  ...callExample,
  status: 'queued',
  end_reason: null,
  from: null,
  provider: null,
  provider_call_id: null,
  answered_by: null,
  started_at: null,
  ringing_at: null,
  answered_at: null,
  ended_at: null,
  duration_seconds: null,
};

const one = { params: z.strictObject({ call_id: Uuid }) };

export const calls = defineOperations('calls', 'Phone calls.', {
  create: {
    method: 'POST',
    path: '/v1/calls',
    summary: 'Place a call',
    description:
      'Responds once the call is queued; with scheduled_at, or when a rule holds it back, it waits and hold says why. Follow the call with GET /v1/calls/{call_id}?wait_seconds=55 or with the call.* events. recipient_consent must be true: you confirm that the recipient agreed to be called.',
    body: CallCreate,
    body_example: {
      to: '+15005550201',
      recipient_consent: true,
      system_prompt: 'Book an appointment for Tuesday. Then ask for their name.',
    },
    idempotent: true,
    success: { status: 201, body: Call, example: queued },
    errors: [
      'recipient_suppressed',
      'consent_not_recorded',
      'consent_required',
      'from_not_allowed',
      'destination_not_allowed',
      'llm_not_configured',
      'agent_not_found',
      'provider_not_configured',
      'variable_missing',
      'schema_not_supported',
      'tool_not_found',
      'mcp_server_not_found',
      'carrier_not_configured',
      'velocity_capped',
      'kill_switch',
      'insufficient_funds',
      'quiet_hours',
      'new_recipient_capped',
      'recipient_capped',
      'budget_exceeded',
      'not_allowed_by_policy',
      'too_many_approvals',
      'invalid_schedule',
      'schema_not_supported',
    ],
  },
  list: {
    method: 'GET',
    path: '/v1/calls',
    summary: 'List calls, newest first',
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(callLifecycle.states).optional().describe('Only calls in this status.'),
      to: QueryPhone.optional().describe('Only calls to this number; write + as %2B.'),
      from: QueryPhone.optional(),
      parent_call_id: Uuid.optional().describe(
        'The calls to colleagues for its transfers, which other lists leave out.',
      ),
      ...listFilters,
    }),
    success: {
      status: 200,
      body: pageOf(Call, 'CallPage'),
      example: { items: [callExample], next_cursor: null },
    },
    errors: list_filter_errors,
  },
  stats: {
    method: 'GET',
    path: '/v1/calls/stats',
    summary: 'Count calls by status',
    query: statisticsQuery('calls'),
    success: { status: 200, body: CallStatistics, example: callStatisticsExample },
    errors: ['invalid_time_range'],
  },
  get: {
    method: 'GET',
    path: '/v1/calls/{call_id}',
    conversation: 'read',
    summary: 'Read one call, or wait until it ends',
    description:
      'With wait_seconds the response is sent when the call has ended (with wait_for=result: when its result is settled too) or the time is up.',
    ...one,
    query: z.strictObject({
      wait_seconds: z
        .string()
        .regex(/^[0-9]{1,2}$/, 'Expected a whole number')
        .transform(Number)
        .pipe(z.number().min(1).max(limits.wait_max_seconds))
        .optional()
        .meta({
          description: 'Maximum time to wait for the end of the call.',
          json_schema: { type: 'integer', minimum: 1, maximum: limits.wait_max_seconds },
        }),
      wait_for: z.enum(['end', 'result']).optional().describe('Default: end.'),
    }),
    success: { status: 200, body: Call, example: callExample },
    errors: ['too_many_waiters'],
  },
  update: {
    method: 'PATCH',
    path: '/v1/calls/{call_id}',
    summary: 'Move a call to another time',
    description:
      'For a call that waits (hold is not null). If a person approved it, the new time needs a new approval. A call that waits for an approval cannot be moved: cancel it and place it again.',
    ...one,
    body: SchedulePatch,
    body_example: { scheduled_at: '2026-06-07T08:00:00Z' },
    success: {
      status: 200,
      body: Call,
      example: { ...queued, hold: holdExample, scheduled_at: '2026-06-07T08:00:00.000Z' },
    },
    errors: ['invalid_schedule', 'already_handed_over', 'held'],
  },
  cancel: {
    method: 'POST',
    path: '/v1/calls/{call_id}/cancel',
    summary: 'Cancel a call or hang it up',
    description:
      'A call that waits or is not answered yet is canceled. An answered call is hung up and ends as completed with end_reason api_hangup.',
    ...one,
    success: {
      status: 200,
      body: Call,
      example: {
        ...queued,
        status: 'canceled',
        end_reason: 'canceled',
        ended_at: '2026-06-06T12:00:02.000Z',
      },
    },
    errors: ['call_already_ended'],
  },
  transcript: {
    method: 'GET',
    path: '/v1/calls/{call_id}/transcript',
    conversation: 'read',
    summary: 'Read the transcript of a call',
    ...one,
    success: {
      status: 200,
      body: CallTranscript,
      example: {
        call_id: callExample.id,
        is_final: true,
        turns: [
          {
            speaker: 'person',
            text: 'Hello, this is Thomas.',
            started_ms: 300,
            ended_ms: 1700,
            is_interrupted: false,
            is_filler: false,
            is_private: false,
            requested_by: null,
            timings: null,
          },
        ],
      },
    },
  },
  result: {
    method: 'POST',
    path: '/v1/calls/{call_id}/result',
    summary: 'Make the result of a call again',
    description:
      'For a call that has ended; also with another schema. Wait for it with GET /v1/calls/{call_id}?wait_seconds=55&wait_for=result or with call.result_ready.',
    ...one,
    body: CallResultCreate,
    body_example: { success_criteria: 'The person named a day.' },
    success: {
      status: 200,
      body: Call,
      example: { ...callExample, ...ready_result, evidence: { pays_on: [4] }, result_schema: null },
    },
    errors: ['call_not_ended', 'result_pending', 'schema_not_supported'],
  },
  events: {
    method: 'GET',
    path: '/v1/calls/{call_id}/events',
    summary: 'Read the timeline of a call, newest first',
    ...one,
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: CallTimeline,
      example: {
        items: [
          {
            id: '019a8c1e-9f20-7a44-8c2b-5d6e7f809113',
            kind: 'declined',
            occurred_at: '2026-06-06T12:00:02.000Z',
            detail: { end_reason: 'busy', detail: 'Busy here' },
          },
        ],
        next_cursor: null,
      },
    },
  },
  recording: {
    method: 'GET',
    path: '/v1/calls/{call_id}/recording',
    summary: 'Download the recording',
    description:
      'Redirects to a temporary link to a stereo WAV file: the other party on the left channel, your agent on the right.',
    ...one,
    success: { status: 302 },
    errors: ['recording_not_found'],
  },
  ...callControl,
  ...callTransfer,
});
