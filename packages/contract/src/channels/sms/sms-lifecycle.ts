// The states of a text, and what moves it from one to another.
import { defineLifecycle } from '../../schema/lifecycle.ts';

export const smsLifecycle = defineLifecycle({
  subject: 'sms_message',
  initial: 'queued',
  also_begins_as: ['received'],
  states: ['queued', 'sent', 'delivered', 'undelivered', 'failed', 'canceled', 'received'],
  moves: {
    sent: { from: ['queued'], to: 'sent' },
    // A delivery receipt can arrive before the carrier's response, so every outcome can also follow "queued".
    delivered: { from: ['queued', 'sent'], to: 'delivered', emits: 'sms.delivered' },
    undelivered: { from: ['queued', 'sent'], to: 'undelivered', emits: 'sms.undelivered' },
    failed: { from: ['queued', 'sent'], to: 'failed', emits: 'sms.failed' },
    canceled: { from: ['queued'], to: 'canceled', emits: 'sms.canceled' },
  },
});
