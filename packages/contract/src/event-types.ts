// Every event type of the service.
import { z } from 'zod';
import { agentEvents } from './agents/agent-events.ts';
import { toolCallEvents } from './agents/tool-call-events.ts';
import { callEvents } from './channels/calls/call-events.ts';
import { callTransferEvents } from './channels/calls/call-transfers.ts';
import { emailEvents } from './channels/emails/email-events.ts';
import { verificationEvents } from './channels/numbers/verification-events.ts';
import { smsEvents } from './channels/sms/sms-events.ts';
import { conversationEvents } from './inbox/conversation-events.ts';
import { waitEvents } from './inbox/wait-events.ts';
import { erasureEvents } from './operations/erasure-events.ts';
import { approvalEvents } from './rules/approvals/approval-events.ts';
import { consentEvents } from './rules/people/consent-events.ts';
import { budgetEvents } from './rules/spending/budget-events.ts';

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
