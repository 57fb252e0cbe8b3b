// Every event the service tells of, whichever noun declares it.
import { callEvents } from './calls.ts';

export const events = { ...callEvents };
export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];
