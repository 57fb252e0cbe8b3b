// The event log: every event, for clients that poll or stream instead of receiving webhooks.
import { z } from 'zod';
import { streamEvents } from '../channels/calls/stream-events.ts';
import { EventEnvelope } from '../event.ts';
import { EventTypeName, events as table } from '../event-types.ts';
import { limits, nil_uuid, webhook_api_version } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Uuid } from '../schema/fields.ts';

export const eventExample: EventEnvelope = {
  id: '019a8c1e-aaaa-7bbb-8ccc-0d1e2f304151',
  type: 'call.completed',
  api_version: webhook_api_version,
  created_at: '2026-06-06T12:01:04.000Z',
  organization_id: nil_uuid,
  data: table['call.completed'].example,
};

export const events = defineOperations(
  'events',
  'The same events that webhooks deliver, to list or to stream without a public URL.',
  {
    list: {
      method: 'GET',
      path: '/v1/events',
      summary: 'List events, newest first',
      query: z.strictObject({
        ...pageQuery,
        type: EventTypeName.optional().describe('Only events of this type.'),
        resource_id: Uuid.optional().describe('Only events about this call, email or text.'),
      }),
      success: {
        status: 200,
        body: pageOf(EventEnvelope, 'EventPage'),
        example: { items: [eventExample], next_cursor: null },
      },
    },
    stream: {
      method: 'GET',
      path: '/v1/events/stream',
      summary: 'Stream events as they happen (server-sent events)',
      description: `Each message has the id of the event as \`id\`, its type as \`event\` and the envelope as \`data\`. Send \`Last-Event-ID\` with the last id you received to continue after it: no event is skipped or repeated. The nil UUID starts with the first stored event. Without the header the stream starts with the next event. ${Object.entries(
        streamEvents,
      )
        .map(([type, { meaning }]) => `\`${type}\` (${meaning.replace(/\.$/, '')})`)
        .join(
          ' and ',
        )} are sent only on this stream: they are not listed and not delivered to webhooks. Comment lines keep an idle connection open. A caller can have ${limits.event_streams_per_caller} open streams.`,
      success: { status: 200, stream: 'text/event-stream' },
      errors: ['validation_failed', 'too_many_streams'],
    },
  },
);
