// Every event type of the service.
import { z } from 'zod';
import { agentEvents } from './agent-events.ts';
import { approvalEvents } from './approval-events.ts';
import { budgetEvents } from './budget-events.ts';
import { callEvents } from './call-events.ts';
import { callTransferEvents } from './call-transfers.ts';
import { consentEvents } from './consent-events.ts';
import { conversationEvents } from './conversation-events.ts';
import { emailEvents } from './email-events.ts';
import { erasureEvents } from './erasure-events.ts';
import { smsEvents } from './sms-events.ts';
import { toolCallEvents } from './tool-call-events.ts';
import { verificationEvents } from './verification-events.ts';
import { waitEvents } from './wait-events.ts';

export const events = {
  ...callEvents,
  ...callTransferEvents,
  ...toolCallEvents,
  ...emailEvents,
  ...agentEvents,
  ...smsEvents,
  ...verificationEvents,
  ...approvalEvents,
  ...budgetEvents,
  ...consentEvents,
  ...erasureEvents,
  ...conversationEvents,
  ...waitEvents,
};
export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];

export const EventTypeName = z.enum(eventTypes).meta({ id: 'EventTypeName' });
