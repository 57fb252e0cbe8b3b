// Every event the service tells of, whichever noun declares it.
import { callEvents } from './calls.ts';
import { emailEvents } from './email-events.ts';

export const events = { ...callEvents, ...emailEvents };
export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];
