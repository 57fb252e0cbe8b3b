// Every event type of the service.
import { z } from 'zod';
import { approvalEvents } from './approval-events.ts';
import { budgetEvents } from './budget-events.ts';
import { callEvents } from './call-events.ts';
import { consentEvents } from './consent-events.ts';
import { conversationEvents } from './conversation-events.ts';
import { emailEvents } from './email-events.ts';
import { smsEvents } from './sms-events.ts';
import { waitEvents } from './wait-events.ts';

export const events = {
  ...callEvents,
  ...emailEvents,
  ...smsEvents,
  ...approvalEvents,
  ...budgetEvents,
  ...consentEvents,
  ...conversationEvents,
  ...waitEvents,
};
export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];

export const EventTypeName = z.enum(eventTypes).meta({ id: 'EventTypeName' });
