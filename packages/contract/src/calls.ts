// Calls: a spoken conversation that an agent of yours has on the phone.
import { z } from 'zod';
import { FirstMessage, Language, Prompt, Voice } from './agents.ts';
import {
  Call,
  CallStatistics,
  CallTimeline,
  CallTranscript,
  callExample,
  callLifecycle,
  callStatisticsExample,
} from './call-records.ts';
import {
  Consent,
  Metadata,
  PhoneNumber,
  pageOf,
  pageQuery,
  QueryPhone,
  queryInteger,
  Uuid,
} from './fields.ts';
import { limits } from './limits.ts';
import { defineOperations } from './operation.ts';

const CallLlm = z
  .strictObject({
    base_url: z
      .string()
      .max(limits.webhook_url_chars)
      .describe('An endpoint that speaks the chat completions protocol, up to and including its version.'),
    api_key: z.string().min(1).max(500).nullish().describe('Kept sealed, and never shown again.'),
    model: z.string().trim().min(1).max(100),
  })
  .meta({ id: 'CallLlm' });

export const CallCreate = z
  .strictObject({
    to: PhoneNumber,
    recipient_consent: Consent,
    from: PhoneNumber.nullish().describe('An active voice number of yours. Chosen for you when left out.'),
    agent_id: Uuid.nullish().describe('Who speaks; fields of this call go before those of the agent.'),
    system_prompt: Prompt.nullish(),
    first_message: FirstMessage.nullish(),
    language: Language.nullish().describe('A BCP 47 language tag; that of the agent, else en.'),
    voice: Voice.nullish(),
    llm: CallLlm.nullish().describe('Your own language model, for this call only.'),
    ring_timeout_seconds: z.number().int().min(5).max(120).nullish().describe('30 when left out.'),
    max_duration_seconds: z
      .number()
      .int()
      .min(30)
      .max(14_400)
      .nullish()
      .describe('That of the agent, else 600.'),
    record: z.boolean().nullish().describe('Whether to keep a stereo recording; false when left out.'),
    ai_disclosure: z
      .boolean()
      .nullish()
      .describe('Whether the call begins by saying that an AI speaks; that of the agent, else true.'),
    conversation_id: Uuid.nullish(),
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

export const calls = defineOperations('calls', 'Spoken calls.', {
  create: {
    method: 'POST',
    path: '/v1/calls',
    summary: 'Place a call',
    description:
      'Answers once the call is queued. Follow it with GET /v1/calls/{call_id}?wait_seconds=55 or the call.* events. recipient_consent must be true: you warrant that the recipient agreed.',
    body: CallCreate,
    body_example: {
      to: '+15005550201',
      recipient_consent: true,
      system_prompt: 'Book an appointment for Tuesday. Then ask for their name.',
    },
    idempotent: true,
    success: { status: 201, body: Call, example: queued },
    errors: [
      'consent_required',
      'from_not_allowed',
      'destination_not_allowed',
      'llm_not_configured',
      'agent_not_found',
      'carrier_not_configured',
      'velocity_capped',
      'kill_switch',
      'insufficient_funds',
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
    }),
    success: {
      status: 200,
      body: pageOf(Call, 'CallPage'),
      example: { items: [callExample], next_cursor: null },
    },
  },
  stats: {
    method: 'GET',
    path: '/v1/calls/stats',
    summary: 'Count calls by status',
    query: z.strictObject({
      days: queryInteger({
        min: 1,
        max: limits.statistics_days,
        default: 30,
        description: 'Calls asked for within so many days.',
      }),
    }),
    success: { status: 200, body: CallStatistics, example: callStatisticsExample },
  },
  get: {
    method: 'GET',
    path: '/v1/calls/{call_id}',
    summary: 'Read one call, or wait for its end',
    description:
      'With wait_seconds it answers when the call is final or the time is up, whichever comes first.',
    ...one,
    query: z.strictObject({
      wait_seconds: z
        .string()
        .regex(/^[0-9]{1,2}$/, 'Expected a whole number')
        .transform(Number)
        .pipe(z.number().min(1).max(limits.wait_max_seconds))
        .optional()
        .meta({
          description: 'How long to wait for the end at most.',
          json_schema: { type: 'integer', minimum: 1, maximum: limits.wait_max_seconds },
        }),
    }),
    success: { status: 200, body: Call, example: callExample },
    errors: ['too_many_waiters'],
  },
  cancel: {
    method: 'POST',
    path: '/v1/calls/{call_id}/cancel',
    summary: 'Cancel a call, or hang it up',
    description:
      'Before the answer the call is canceled; after it, it is hung up and ends completed with api_hangup.',
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
    summary: 'Read what was said',
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
            timings: null,
          },
        ],
      },
    },
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
    description: 'Redirects to a link that expires: a WAV file with the other party left and our side right.',
    ...one,
    success: { status: 302 },
    errors: ['recording_not_found'],
  },
});
