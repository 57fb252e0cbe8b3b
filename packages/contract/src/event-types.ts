// Every event the service tells of, whichever noun declares it.
import { callEvents } from './calls.ts';
import { smsEvents } from './sms.ts';

export const events = { ...callEvents, ...smsEvents };
export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];
