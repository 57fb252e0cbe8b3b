// The result of a call: typed data, a summary and whether the call succeeded, taken from the transcript after the call.
import { z } from 'zod';
import { SuccessCriteria } from '../../agents/agents.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';
import { JsonSchema } from '../../schema/subset/schema-subset.ts';

export const result_limits = {
  summary_chars: 600,
  success_reason_chars: 300,
  /** JSON of a result. */
  result_bytes: 64 * 1024,
} as const;

export const callResultLifecycle = defineLifecycle({
  subject: 'call_result',
  table: 'calls',
  column: 'result_status',
  initial: 'none',
  states: ['none', 'pending', 'ready', 'failed', 'skipped'],
  moves: {
    requested: { from: ['none', 'ready', 'failed', 'skipped'], to: 'pending' },
    passed_over: { from: ['none', 'pending'], to: 'skipped' },
    settled: { from: ['pending'], to: 'ready', emits: 'call.result_ready' },
    gave_up: { from: ['pending'], to: 'failed', emits: 'call.result_ready' },
  },
});
export type CallResultStatus = (typeof callResultLifecycle.states)[number];

export const callResultErrors = [
  'invalid_result',
  'llm_unavailable',
  'llm_refused',
  'timeout',
  'too_long',
] as const;
export type CallResultError = (typeof callResultErrors)[number];

export const ResultSchema = JsonSchema;
/** What a call is asked to result in. */
export const resultRequestFields = {
  result_schema: ResultSchema.nullish(),
  success_criteria: SuccessCriteria.nullish(),
  summarize: z.boolean().nullish().describe('Whether to write a summary. Default: true.'),
};
export const CallResultCreate = z
  .strictObject(resultRequestFields)
  .describe('Fields that are left out are those of the call.')
  .meta({ id: 'CallResultCreate' });
export type CallResultCreate = z.output<typeof CallResultCreate>;

const Evidence = z.record(z.string(), z.array(z.number().int()));

/** The fields of a call. */
export const resultFields = {
  result_status: z.enum(callResultLifecycle.states).describe('skipped: nobody spoke with the agent.'),
  result: z.record(z.string(), z.unknown()).nullable(),
  result_error: z.enum(callResultErrors).nullable(),
  result_engine: z.string().nullable(),
  evidence: Evidence.nullable().describe(
    'For properties of result: the numbers of the turns they come from, from 1.',
  ),
  summary: z.string().nullable(),
  success: z.boolean().nullable(),
  success_reason: z.string().nullable(),
};

export const no_result = {
  result_status: 'none',
  result_schema: null,
  result: null,
  result_error: null,
  result_engine: null,
  evidence: null,
  summary: null,
  success: null,
  success_reason: null,
} as const;

export const ready_result = {
  result_status: 'ready',
  result: { pays_on: '2026-06-09' },
  result_error: null,
  result_engine: 'anthropic',
  evidence: { pays_on: [4] },
  summary: 'Ms Lee will pay on Tuesday.',
  success: true,
  success_reason: 'A date was named.',
} as const;
