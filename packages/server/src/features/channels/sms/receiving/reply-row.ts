// The fields that every automatic reply to an inbound text has in common.
import type { Sms } from '@parley/contract/channels/sms/sms';
import { segmentsOf } from '@parley/contract/channels/sms/sms-segments';
import type { SmsRow } from '../sending/sms-record-store.ts';

export const replyTo = (
  inbound: Sms,
  { id, body, origin }: { id: string; body: string; origin: 'agent' | 'keyword' },
) =>
  ({
    ...inbound,
    id,
    direction: 'outbound',
    from: inbound.to,
    to: inbound.from,
    body,
    status: 'queued',
    ...segmentsOf(body),
    provider_message_id: null,
    labels: [],
    content_erased_at: null,
    origin,
    answers_id: inbound.id,
  }) satisfies Partial<SmsRow>;
