// Declares the events of the service, each with the schema of its data and an example.
import { z } from 'zod';
import { webhook_api_version } from './limits.ts';
import { Timestamp, Uuid } from './schema/fields.ts';

export type EventDefinition<Data extends z.ZodObject = z.ZodObject> = {
  /** What happened, in one sentence. */
  meaning: string;
  data: Data;
  example: z.input<Data>;
};

export const defineEvents = <const T extends Record<string, EventDefinition>>(
  table: {
    [Type in keyof T]: T[Type] & { example: z.input<T[Type]['data']> };
  },
): T => table;

/** The envelope of every event; the schema of `data` depends on `type`. */
export const EventEnvelope = z
  .strictObject({
    id: Uuid.describe('The id of the event; the same in every delivery.'),
    type: z.string().describe('The event type.'),
    api_version: z.literal(webhook_api_version),
    created_at: Timestamp,
    organization_id: Uuid,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type EventEnvelope = z.infer<typeof EventEnvelope>;
