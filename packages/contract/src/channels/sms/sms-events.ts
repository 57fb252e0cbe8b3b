// The events of texts.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { silenceFields } from '../../inbox/reply-silences.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { smsErrorCodeNames, smsLifecycle } from './sms.ts';

const SmsEventData = z
  .strictObject({
    id: Uuid.describe('The id of the text.'),
    from: z.string(),
    to: z.string(),
    status: z.enum(smsLifecycle.states),
    error_code: z.enum(smsErrorCodeNames).nullable(),
    occurred_at: Timestamp,
  })
  .meta({ id: 'SmsEventData' });

const SmsReceivedData = z
  .strictObject({
    id: Uuid.describe('The id of the text.'),
    from: z.string(),
    to: z.string(),
    body: z.string(),
    error_code: z
      .enum(smsErrorCodeNames)
      .nullable()
      .describe('code_withheld: the carrier removed a one-time code, so body is not the whole text.'),
  })
  .meta({ id: 'SmsReceivedData' });

const SmsBlockedData = z
  .strictObject({
    id: Uuid.describe('The id of the text.'),
    from: z.string(),
    to: z.string(),
    rule_id: Uuid,
  })
  .meta({ id: 'SmsBlockedData' });

const SmsNotAnsweredData = z
  .strictObject({
    id: Uuid.describe('The id of the text that came in.'),
    from: z.string(),
    to: z.string(),
    ...silenceFields,
  })
  .meta({ id: 'SmsNotAnsweredData' });

const sms_id = '019a8c1e-6f70-7182-8394-0e1f20314253';
const delivered: z.input<typeof SmsEventData> = {
  id: sms_id,
  from: '+15005554001',
  to: '+15005550001',
  status: 'delivered',
  error_code: null,
  occurred_at: '2026-06-06T12:00:02.000Z',
};

export const smsEvents = defineEvents({
  'sms.received': {
    meaning: 'A text was received.',
    data: SmsReceivedData,
    example: {
      id: sms_id,
      from: '+14155550123',
      to: '+15005554001',
      body: 'Is Tuesday possible?',
      error_code: null,
    },
  },
  'sms.blocked': {
    meaning: 'A receive rule blocked a text. It is stored; agents, conversations and waits do not get it.',
    data: SmsBlockedData,
    example: {
      id: sms_id,
      from: '+14155550123',
      to: '+15005554001',
      rule_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5ea1',
    },
  },
  'sms.delivered': {
    meaning: 'The carrier confirmed that the text arrived.',
    data: SmsEventData,
    example: delivered,
  },
  'sms.undelivered': {
    meaning: 'The carrier reported that the text did not arrive.',
    data: SmsEventData,
    example: { ...delivered, to: '+15005550002', status: 'undelivered', error_code: 'unreachable' },
  },
  'sms.failed': {
    meaning: 'The text could not be sent, or the carrier rejected it.',
    data: SmsEventData,
    example: { ...delivered, to: '+15005550003', status: 'failed', error_code: 'rejected' },
  },
  'sms.canceled': {
    meaning: 'A text that waited was canceled, or its approval was rejected or expired.',
    data: SmsEventData,
    example: { ...delivered, status: 'canceled', error_code: 'canceled' },
  },
  'sms.not_answered': {
    meaning: 'A text was received for an agent, and the agent does not reply to it.',
    data: SmsNotAnsweredData,
    example: {
      id: sms_id,
      from: '+14155550123',
      to: '+15005554001',
      agent_id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
      reason: 'llm_not_configured',
      detail: 'No language model is configured. Set an LLM provider with PUT /v1/providers/llm.',
    },
  },
});
