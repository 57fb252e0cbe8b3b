// The sandbox: a clock that can be moved and events that can be created, so that tests do not have to wait.
import { z } from 'zod';
import { EventEnvelope } from '../../event.ts';
import { EventTypeName } from '../../event-types.ts';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { eventExample } from '../events.ts';

export const SandboxClock = z
  .strictObject({
    now: Timestamp.describe('The current time of the service.'),
    offset_seconds: z.number().describe('How far it is ahead of the system clock.'),
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
    type: EventTypeName,
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields that replace those of the example of the type; the result must match its schema.'),
    email_domain_id: Uuid.optional().describe('The email domain of the event.'),
    email_domain: z.string().min(1).max(253).optional().describe('The name of that domain.'),
    count: z
      .number()
      .int()
      .min(1)
      .max(limits.sandbox_events)
      .default(1)
      .describe('The number of events to create.'),
  })
  .meta({ id: 'SandboxEventCreate' });
export type SandboxEventCreate = z.output<typeof SandboxEventCreate>;

const clockExample: SandboxClock = { now: '2026-06-07T12:00:00.000Z', offset_seconds: 86_400 };

export const sandbox = defineOperations(
  'sandbox',
  'Tools for tests and first steps. With PARLEY_SANDBOX=off these endpoints do not exist. In managed mode only superadmins may move the clock and create events.',
  {
    get_clock: {
      method: 'GET',
      path: '/v1/sandbox/clock',
      summary: 'Read the clock of the service',
      success: { status: 200, body: SandboxClock, example: clockExample },
    },
    advance_clock: {
      method: 'POST',
      path: '/v1/sandbox/clock',
      summary: 'Move the clock of the service forward',
      description:
        'Everything that is scheduled runs as if its time had come: first the retries of deliveries in order, each at its own time, then everything else. The response is sent after all due work has run. The clock never goes back. In managed mode the clock does not affect deletions, the expiry of credentials and caps.',
      body: SandboxClockAdvance,
      body_example: { advance_seconds: 86_400 },
      success: { status: 200, body: SandboxClock, example: clockExample },
      errors: ['not_found'],
    },
    create_events: {
      method: 'POST',
      path: '/v1/sandbox/events',
      summary: 'Create example events',
      description:
        'Publishes the documented example of an event type: it is listed, streamed and delivered like any other event.',
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
