// Live control of a call: what an API caller can make the agent do while the call is in progress.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import type { Operation } from '../../operation.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';

export const callCommandKinds = ['say', 'instruct', 'send_digits', 'transfer'] as const;
export type CallCommandKind = (typeof callCommandKinds)[number];

export const callCommandOutcomes = ['done', 'queued', 'refused', 'unknown'] as const;
export type CallCommandOutcome = (typeof callCommandOutcomes)[number];

const text = (max: number) => z.string().trim().min(1).max(max);

export const CallSay = z
  .strictObject({
    text: text(limits.call_say_chars).describe('Spoken word for word.'),
    when: z.enum(['now', 'next']).default('next').describe('now: interrupts the agent.'),
    then: z.enum(['listen', 'end_call']).default('listen'),
  })
  .meta({ id: 'CallSay' });
export type CallSay = z.output<typeof CallSay>;

export const CallInstruct = z
  .strictObject({
    text: text(limits.call_instruct_chars).describe('For the model; it is not spoken.'),
    respond: z.boolean().default(false),
  })
  .meta({ id: 'CallInstruct' });
export type CallInstruct = z.output<typeof CallInstruct>;

/** `w` is a pause of half a second. */
export const call_digits_pattern = /^[0-9*#A-Dw]{1,64}$/;
export const CallDigits = z
  .strictObject({
    digits: z.string().regex(call_digits_pattern, 'Expected up to 64 of 0-9, *, #, A-D, w'),
  })
  .meta({ id: 'CallDigits' });

export const CallCommanded = z
  .strictObject({
    command_id: Uuid,
    outcome: z.enum(['done', 'queued']),
  })
  .meta({ id: 'CallCommanded' });
export type CallCommanded = z.infer<typeof CallCommanded>;

export const CallCommand = z
  .strictObject({
    id: Uuid,
    call_id: Uuid,
    kind: z.enum(callCommandKinds),
    outcome: z.enum([...callCommandOutcomes, 'pending']),
    detail: z.string().nullable(),
    created_at: Timestamp,
    settled_at: Timestamp.nullable(),
  })
  .meta({ id: 'CallCommand' });
export type CallCommand = z.infer<typeof CallCommand>;

const one = { params: z.strictObject({ call_id: Uuid }) };
const command_id = '019a8c1e-9f30-7a44-8c2b-5d6e7f809114';
export const commanded = {
  status: 200,
  body: CallCommanded,
  example: { command_id, outcome: 'done' },
} as const;
/** not_allowed_by_policy: the approval policy applies to what programs have said on an outbound call. */
export const command_errors = [
  'call_not_in_progress',
  'call_already_ended',
  'command_not_possible',
  'not_allowed_by_policy',
] as const;

/** Operations of the noun `calls`. */
export const callControl = {
  say: {
    method: 'POST',
    path: '/v1/calls/{call_id}/say',
    summary: 'Let the agent say something on a call',
    ...one,
    body: CallSay,
    body_example: { text: 'I have just found your order.', when: 'next' },
    idempotent: true,
    success: commanded,
    errors: command_errors,
  },
  instruct: {
    method: 'POST',
    path: '/v1/calls/{call_id}/instruct',
    summary: 'Give the agent a note during a call',
    ...one,
    body: CallInstruct,
    body_example: { text: 'The order was shipped yesterday.', respond: true },
    idempotent: true,
    success: commanded,
    errors: command_errors,
  },
  send_digits: {
    method: 'POST',
    path: '/v1/calls/{call_id}/digits',
    summary: 'Press keys on a call',
    ...one,
    body: CallDigits,
    body_example: { digits: '1w2#' },
    idempotent: true,
    success: commanded,
    errors: command_errors,
  },
  get_command: {
    method: 'GET',
    path: '/v1/calls/{call_id}/commands/{command_id}',
    summary: 'Read what became of a command',
    params: z.strictObject({ call_id: Uuid, command_id: Uuid }),
    success: {
      status: 200,
      body: CallCommand,
      example: {
        id: command_id,
        call_id: '019a8c1e-9f10-7a44-8c2b-5d6e7f809112',
        kind: 'say',
        outcome: 'done',
        detail: null,
        created_at: '2026-06-06T12:00:10.000Z',
        settled_at: '2026-06-06T12:00:10.020Z',
      },
    },
  },
} as const satisfies Record<string, Operation>;
