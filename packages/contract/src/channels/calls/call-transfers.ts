// The transfer of a call: the agent calls a colleague and connects the person with them.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { limits } from '../../limits.ts';
import type { Operation } from '../../operation.ts';
import { Consent, PhoneNumber, Timestamp, Uuid } from '../../schema/fields.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';
import { command_errors, commanded } from './call-control.ts';

export const transferModes = ['warm', 'blind'] as const;
export const transferFailures = [
  'no_answer',
  'busy',
  'declined',
  'machine',
  'not_accepted',
  'unreachable',
  'not_allowed',
  'person_left',
  'carrier_error',
  'timeout',
  'call_ended',
  'process_lost',
] as const;
export type TransferFailure = (typeof transferFailures)[number];

const open = ['requested', 'dialing', 'ringing', 'consulting'] as const;

export const callTransferLifecycle = defineLifecycle({
  subject: 'call_transfer',
  initial: 'requested',
  states: [...open, 'connected', 'ended', 'failed', 'canceled'],
  moves: {
    dialed: { from: ['requested'], to: 'dialing', emits: 'call.transfer_started' },
    rang: { from: ['dialing'], to: 'ringing' },
    answered: { from: ['dialing', 'ringing'], to: 'consulting' },
    connected: { from: ['dialing', 'ringing', 'consulting'], to: 'connected', emits: 'call.transferred' },
    failed: { from: [...open], to: 'failed', emits: 'call.transfer_failed' },
    canceled: { from: [...open], to: 'canceled', emits: 'call.transfer_failed' },
    ended: { from: ['connected'], to: 'ended' },
  },
});
export type CallTransferTrigger = keyof typeof callTransferLifecycle.moves;
export const isOpenTransfer = (status: string): boolean =>
  (open as readonly string[]).includes(status) || status === 'connected';

export const CallTransfer = z
  .strictObject({
    id: Uuid,
    destination: z.string().nullable(),
    to: z.string(),
    mode: z.enum(transferModes),
    via: z.enum(['bridge']),
    status: z.enum(callTransferLifecycle.states),
    reason: z.string().nullable(),
    requested_by: z.enum(['agent', 'api']),
    leg_call_id: Uuid.nullable(),
    requested_at: Timestamp,
    connected_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    failure: z.enum(transferFailures).nullable(),
  })
  .meta({ id: 'CallTransfer' });
export type CallTransfer = z.infer<typeof CallTransfer>;

export const callTransferExample: CallTransfer = {
  id: '019a8c1e-a000-7a44-8c2b-5d6e7f809115',
  destination: 'billing',
  to: '+15005550211',
  mode: 'warm',
  via: 'bridge',
  status: 'connected',
  reason: 'Asks about invoice 17.',
  requested_by: 'agent',
  leg_call_id: '019a8c1e-a001-7a44-8c2b-5d6e7f809116',
  requested_at: '2026-06-06T12:00:12.000Z',
  connected_at: '2026-06-06T12:00:30.000Z',
  ended_at: null,
  failure: null,
};

const CallTransferData = z
  .strictObject({ id: Uuid, transfer: CallTransfer, occurred_at: Timestamp })
  .meta({ id: 'CallTransferData' });
const call_id = '019a8c1e-9f10-7a44-8c2b-5d6e7f809112';
const example = (transfer: Partial<CallTransfer>) => ({
  id: call_id,
  transfer: { ...callTransferExample, ...transfer },
  occurred_at: '2026-06-06T12:00:30.000Z',
});

export const callTransferEvents = defineEvents({
  'call.transfer_started': {
    meaning: 'The colleague to whom a call is transferred is being called.',
    data: CallTransferData,
    example: example({ status: 'dialing', connected_at: null }),
  },
  'call.transferred': {
    meaning: 'The person on a call talks to a colleague now.',
    data: CallTransferData,
    example: example({}),
  },
  'call.transfer_failed': {
    meaning: 'A transfer failed or was canceled; the agent goes on with the person.',
    data: CallTransferData,
    example: example({ status: 'failed', connected_at: null, failure: 'no_answer' }),
  },
});

export const CallTransferRequest = z
  .strictObject({
    destination: z.string().max(32).optional().describe('A name of the agent’s list.'),
    to: PhoneNumber.optional().describe('Instead of destination.'),
    recipient_consent: Consent.optional().describe('Needed with to.'),
    mode: z.enum(transferModes).optional(),
    brief: z.string().trim().min(1).max(limits.transfer_brief_chars).optional(),
    reason: z.string().trim().min(1).max(300).optional(),
  })
  .refine(
    ({ destination, to }) => (destination === undefined) !== (to === undefined),
    'Expected either destination or to',
  )
  .meta({ id: 'CallTransferRequest' });
export type CallTransferRequest = z.output<typeof CallTransferRequest>;

/** An operation of the noun `calls`. */
export const callTransfer = {
  transfer: {
    method: 'POST',
    path: '/v1/calls/{call_id}/transfer',
    summary: 'Connect the person on a call with a colleague',
    params: z.strictObject({ call_id: Uuid }),
    body: CallTransferRequest,
    body_example: { destination: 'billing', reason: 'Asks about invoice 17.' },
    idempotent: true,
    success: commanded,
    errors: [
      ...command_errors,
      'transfer_in_progress',
      'destination_unknown',
      'consent_required',
      'destination_not_allowed',
    ],
  },
} as const satisfies Record<string, Operation>;
