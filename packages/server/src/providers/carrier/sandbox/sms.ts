// SMS of the sandbox carrier: every reserved number has a fixed outcome, all other numbers get their texts.
import type { CarrierEvent, OutgoingText, SmsPort, TextOutcome } from '../carrier.ts';
import { type TextBehavior, textRecipients } from './reserved-numbers.ts';

const outcomes: Record<TextBehavior, TextOutcome> = {
  delivered: { status: 'delivered' },
  undelivered: { status: 'undelivered', error_code: 'unreachable' },
  failed: { status: 'failed', error_code: 'rejected' },
  opted_out: { status: 'failed', error_code: 'recipient_opted_out' },
  unconfirmed: { status: 'sent' },
  answers_stop: { status: 'delivered' },
  echoes: { status: 'delivered' },
  answers_code: { status: 'delivered' },
  answer_lost: { status: 'delivered' },
};

/** The texts that the sandbox was given: like a carrier, it knows after a crash of the service what it has. */
export type HandedTexts = { add(sms_id: string): Promise<void>; has(sms_id: string): Promise<boolean> };

/** The id contains the outcome, so a restart changes no outcome. */
const messageId = (behavior: TextBehavior, sms_id: string) => `sandbox-${behavior}-${sms_id}`;
const behaviorOf = (to: string): TextBehavior => textRecipients[to] ?? 'delivered';

/** `report` must deliver the events after `send` has returned, as real carriers do. */
export const sandboxSms = (report: (events: CarrierEvent[]) => void, handed: HandedTexts): SmsPort => ({
  async send(text) {
    const behavior = behaviorOf(text.to);
    if (behavior === 'failed') {
      return { outcome: 'not_sent', error_code: 'rejected', detail: 'reserved number' };
    }
    if (behavior === 'opted_out') {
      return { outcome: 'not_sent', error_code: 'recipient_opted_out', detail: 'reserved number' };
    }
    await handed.add(text.sms_id);
    report([...deliveryReport(behavior, text), ...replyOf(behavior, text)]);
    if (behavior === 'answer_lost') return { outcome: 'lost', detail: 'reserved number' };
    return { outcome: 'accepted', provider_message_id: messageId(behavior, text.sms_id) };
  },

  async find({ sms_id, to }) {
    const behavior = behaviorOf(to);
    if (!(await handed.has(sms_id))) return { outcome: 'absent' };
    return {
      outcome: 'found',
      candidates: [{ provider_message_id: messageId(behavior, sms_id), created_at: null }],
    };
  },

  async outcome(provider_message_id) {
    const behavior = /^sandbox-([a-z_]+)-/.exec(provider_message_id)?.[1] as TextBehavior | undefined;
    return behavior && behavior in outcomes
      ? { outcome: 'known', text: outcomes[behavior] }
      : { outcome: 'absent' };
  },
});

function deliveryReport(behavior: TextBehavior, { sms_id }: OutgoingText): CarrierEvent[] {
  if (behavior === 'unconfirmed' || behavior === 'answer_lost') return [];
  const provider_message_id = messageId(behavior, sms_id);
  return [{ kind: 'text_changed', provider_message_id, sms_id, text: outcomes[behavior] }];
}

function replyOf(behavior: TextBehavior, { sms_id, from, to, body }: OutgoingText): CarrierEvent[] {
  const replies: Partial<Record<TextBehavior, string>> = {
    answers_stop: 'STOP',
    echoes: body,
    answers_code: `Your code is ${codeFor(sms_id)}`,
  };
  const reply = replies[behavior];
  // A sender that is a name cannot get a reply.
  if (reply === undefined || !from.startsWith('+')) return [];
  const provider_message_id = `sandbox-reply-${sms_id}`;
  return [{ kind: 'text_received', provider_message_id, from: to, to: from, body: reply }];
}

/** Six digits that are computed from the id of the text. */
const codeFor = (sms_id: string) =>
  String(Number.parseInt(sms_id.slice(-8), 16) % 1_000_000).padStart(6, '0');
