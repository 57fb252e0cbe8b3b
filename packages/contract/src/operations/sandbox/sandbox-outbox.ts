// The sandbox outbox: every message that the sandbox transports received instead of sending it.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';

export const sandboxChannels = ['email', 'sms', 'call'] as const;

export const SandboxMessage = z
  .strictObject({
    id: Uuid,
    channel: z.enum(sandboxChannels),
    resource_id: Uuid.describe('The id of the email, text or call.'),
    handed_at: Timestamp,
    from: z.string(),
    to: z.array(z.string()),
    message: z
      .record(z.string(), z.unknown())
      .describe('The message as the transport received it; of an email without content {}.'),
    content_erased_at: Timestamp.nullable().describe(
      'When its content was erased, by retention or with the person.',
    ),
  })
  .meta({ id: 'SandboxMessage' });
export type SandboxMessage = z.infer<typeof SandboxMessage>;

const example: SandboxMessage = {
  id: '019a8c1e-8f50-7b80-a1c3-6e7f80911250',
  channel: 'email',
  resource_id: '019a8c1e-8d20-7b55-a1c3-6e7f80911223',
  handed_at: '2026-06-06T12:00:00.100Z',
  from: 'agent+000000000000@sandbox.test',
  to: ['bob@example.org'],
  message: { subject: 'Your order', text: 'It left our house this morning.', html: null, headers: {} },
  content_erased_at: null,
};

export const sandboxOutbox = defineOperations(
  'sandbox_outbox',
  'What the sandbox transports received instead of sending it.',
  {
    list: {
      method: 'GET',
      path: '/v1/sandbox/outbox',
      summary: 'List what the sandbox transports received, newest first',
      query: z.strictObject({ ...pageQuery, channel: z.enum(sandboxChannels).optional() }),
      success: {
        status: 200,
        body: pageOf(SandboxMessage, 'SandboxOutboxPage'),
        example: { items: [example], next_cursor: null },
      },
      errors: ['not_found'],
    },
  },
);
