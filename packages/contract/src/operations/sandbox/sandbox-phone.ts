// The sandbox phone: it rings when an agent calls your own number, and it can call your numbers.
import { z } from 'zod';
import { Call, callDirections, callExample } from '../../channels/calls/call-records.ts';
import { phoneStates } from '../../channels/calls/stream-events.ts';
import { defineOperations } from '../../operation.ts';
import { E164, PhoneNumber, Timestamp, Uuid } from '../../schema/fields.ts';

/** Calls to this number ring at the sandbox phone. */
export const own_phone_number = '+15005550210';

const Words = z.string().trim().min(1).max(1000);
const Digits = z.string().regex(/^[0-9*#A-D]{1,64}$/, 'Expected phone keys: 0-9, *, #, A-D');

const Step = z
  .discriminatedUnion('do', [
    z.strictObject({ do: z.literal('say'), text: Words }),
    z.strictObject({ do: z.literal('wait'), seconds: z.number().min(0.1).max(60) }),
    z.strictObject({ do: z.literal('wait_for_turn') }),
    z.strictObject({ do: z.literal('press'), digits: Digits }),
    z.strictObject({ do: z.literal('converse') }),
    z.strictObject({ do: z.literal('hang_up') }),
  ])
  .meta({ id: 'SandboxCallStep' });

export const SandboxInboundCall = z
  .strictObject({
    from: PhoneNumber.describe(
      `The caller. With ${own_phone_number} you are the caller, at the sandbox phone.`,
    ),
    to: PhoneNumber.describe('One of your numbers.'),
    script: z
      .array(Step)
      .min(1)
      .max(50)
      .optional()
      .describe('What the simulated caller does, step by step. Default: have a conversation.'),
  })
  .meta({ id: 'SandboxInboundCall' });
export type SandboxInboundCall = z.output<typeof SandboxInboundCall>;

export const SandboxInboundCallAnswer = z
  .strictObject({
    is_answered: z
      .boolean()
      .describe('false when the call was declined because no agent answers that number.'),
    call: Call.nullable(),
  })
  .meta({ id: 'SandboxInboundCallAnswer' });

export const SandboxPhoneCall = z
  .strictObject({
    call_id: Uuid,
    status: z.enum(phoneStates),
    direction: z.enum(callDirections).describe('From the view of your agent: outbound when it calls you.'),
    from: E164,
    to: E164,
    since: Timestamp.describe('When it started to ring, or when it was answered.'),
  })
  .meta({ id: 'SandboxPhoneCall' });
export type SandboxPhoneCall = z.infer<typeof SandboxPhoneCall>;

const example: SandboxPhoneCall = {
  call_id: callExample.id,
  status: 'in_progress',
  direction: 'outbound',
  from: '+15005550100',
  to: own_phone_number,
  since: '2026-06-06T12:00:01.800Z',
};
const one = { params: z.strictObject({ call_id: Uuid }) };
const answer = { status: 200, body: SandboxPhoneCall, example } as const;
const errors = ['not_found', 'call_already_ended'] as const;

export const sandboxPhone = defineOperations(
  'sandbox_phone',
  'A phone to try the service with: it rings when an agent calls your own number.',
  {
    call_in: {
      method: 'POST',
      path: '/v1/sandbox/inbound-calls',
      summary: 'Call one of your numbers',
      description: 'A simulated person calls, and the agent of the number answers.',
      body: SandboxInboundCall,
      body_example: {
        from: '+15005550299',
        to: '+15005554000',
        script: [
          { do: 'wait_for_turn' },
          { do: 'say', text: 'When do you open?' },
          { do: 'wait_for_turn' },
          { do: 'hang_up' },
        ],
      },
      success: {
        status: 201,
        body: SandboxInboundCallAnswer,
        example: {
          is_answered: true,
          call: {
            ...callExample,
            direction: 'inbound',
            status: 'ringing',
            end_reason: null,
            ended_at: null,
            answered_at: null,
            answered_by: null,
            started_at: null,
            duration_seconds: null,
            from: '+15005550299',
            to: '+15005554000',
          },
        },
      },
      errors: ['not_found'],
    },
    list: {
      method: 'GET',
      path: '/v1/sandbox/phone/calls',
      summary: 'List the calls at the phone, oldest first',
      description: `Calls to ${own_phone_number} that are ringing or in progress in this process. The event stream reports changes as \`sandbox.phone_changed\` and speech as \`call.said\`.`,
      success: {
        status: 200,
        body: z.strictObject({ items: z.array(SandboxPhoneCall) }).meta({ id: 'SandboxPhoneCalls' }),
        example: { items: [example] },
      },
      errors: ['not_found'],
    },
    answer: {
      method: 'POST',
      path: '/v1/sandbox/phone/calls/{call_id}/answer',
      summary: 'Answer a ringing call',
      ...one,
      success: answer,
      errors,
    },
    decline: {
      method: 'POST',
      path: '/v1/sandbox/phone/calls/{call_id}/decline',
      summary: 'Decline a ringing call',
      ...one,
      success: { ...answer, example: { ...example, status: 'ended' } },
      errors,
    },
    say: {
      method: 'POST',
      path: '/v1/sandbox/phone/calls/{call_id}/say',
      summary: 'Speak a text on the call',
      description: 'Responds when the text is queued. Texts are spoken in the order of the requests.',
      ...one,
      body: z.strictObject({ text: Words }).meta({ id: 'SandboxPhoneWords' }),
      body_example: { text: 'Hello, who is speaking?' },
      success: answer,
      errors,
    },
    press: {
      method: 'POST',
      path: '/v1/sandbox/phone/calls/{call_id}/press',
      summary: 'Press keys on the phone',
      ...one,
      body: z.strictObject({ digits: Digits }).meta({ id: 'SandboxPhoneDigits' }),
      body_example: { digits: '12#' },
      success: answer,
      errors,
    },
    hang_up: {
      method: 'POST',
      path: '/v1/sandbox/phone/calls/{call_id}/hang-up',
      summary: 'Hang up a call at the phone',
      ...one,
      success: { ...answer, example: { ...example, status: 'ended' } },
      errors,
    },
    open_sound: {
      method: 'POST',
      path: '/v1/sandbox/phone/calls/{call_id}/sound',
      summary: 'Get a URL for a microphone and a loudspeaker',
      description:
        'A WebSocket URL for this call. It can be used once, within a minute. Both directions are binary messages of 16-bit little-endian samples, one channel, 8000 samples a second.',
      ...one,
      success: {
        status: 201,
        body: z.strictObject({ url: z.string() }).meta({ id: 'SandboxPhoneSound' }),
        example: { url: 'ws://127.0.0.1:8080/v1/sandbox/phone/sound?token=2mT…' },
      },
      errors,
    },
  },
);
