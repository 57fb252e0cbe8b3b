// The sandbox: a clock that can be moved and events that can be made, so that a test need not wait for the world.
import { z } from 'zod';
import { EventEnvelope } from './event.ts';
import { eventTypes } from './event-types.ts';
import { eventExample } from './events.ts';
import { Timestamp, Uuid } from './fields.ts';
import { limits } from './limits.ts';
import { defineOperations } from './operation.ts';

export const SandboxClock = z
  .strictObject({
    now: Timestamp.describe('What time it is for the service.'),
    offset_seconds: z.number().describe('How far that is ahead of the machine.'),
  })
  .meta({ id: 'SandboxClock' });
export type SandboxClock = z.infer<typeof SandboxClock>;

export const SandboxClockAdvance = z
  .strictObject({
    advance_seconds: z
      .number()
      .int()
      .min(1)
      .max(limits.sandbox_advance_seconds)
      .describe('How far to move the clock forward.'),
  })
  .meta({ id: 'SandboxClockAdvance' });

export const SandboxEventCreate = z
  .strictObject({
    type: z.enum(eventTypes),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields that differ from the example of the type; the whole must fit its schema.'),
    email_domain_id: Uuid.optional().describe('The email domain the event comes through.'),
    email_domain: z.string().min(1).max(253).optional().describe('The name of that domain.'),
    count: z.number().int().min(1).max(limits.sandbox_events).default(1).describe('How many such events.'),
  })
  .meta({ id: 'SandboxEventCreate' });
export type SandboxEventCreate = z.output<typeof SandboxEventCreate>;

const clockExample: SandboxClock = { now: '2026-06-07T12:00:00.000Z', offset_seconds: 86_400 };

export const sandbox = defineOperations(
  'sandbox',
  'Tools for tests and first steps. With PARLEY_SANDBOX=off these paths do not exist. In managed mode only superadmins may move the clock and make events.',
  {
    getClock: {
      method: 'GET',
      path: '/v1/sandbox/clock',
      summary: 'Read the clock of the service',
      success: { status: 200, body: SandboxClock, example: clockExample },
    },
    advanceClock: {
      method: 'POST',
      path: '/v1/sandbox/clock',
      summary: 'Move the clock of the service forward',
      description:
        'Everything that waits for a time is done as if that time had come: retries of deliveries one after the other at their own times, then everything else. The answer comes when what became due has run. The clock never goes back. In managed mode deletions, the expiry of credentials and caps do not follow it.',
      body: SandboxClockAdvance,
      body_example: { advance_seconds: 86_400 },
      success: { status: 200, body: SandboxClock, example: clockExample },
      errors: ['not_found'],
    },
    createEvents: {
      method: 'POST',
      path: '/v1/sandbox/events',
      summary: 'Make events happen',
      description:
        'Writes the documented example of an event type as if it had happened: it is listed, streamed and delivered like any other.',
      body: SandboxEventCreate,
      body_example: { type: 'call.completed' },
      success: {
        status: 201,
        body: z.strictObject({ items: z.array(EventEnvelope) }).meta({ id: 'SandboxEvents' }),
        example: { items: [eventExample] },
      },
      errors: ['not_found'],
    },
  },
);
