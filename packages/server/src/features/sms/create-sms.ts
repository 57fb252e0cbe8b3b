// Creates an outbound text: chooses its sender, checks the rules and stores it in the queue.
import type { Sms, SmsCreate } from '@parley/contract/sms';
import { segmentsOf } from '@parley/contract/sms-segments';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { IdempotentRequest } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import { type Admission, readNumber } from '../admission/index.ts';
import { conversationId } from './conversation-id.ts';
import { chooseSender, type SenderFacts } from './sender.ts';
import type { SenderRecords, SenderStore } from './sender-store.ts';
import type { SmsStore } from './store.ts';

export type CreateDeps = {
  store: SmsStore;
  senders: SenderStore;
  admission: Pick<Admission, 'admit'>;
  clock: Clock;
  ids: Ids;
  default_sender: string | null;
  /** The carrier for senders that are not a number of the organization. */
  active_carrier: SenderFacts['active'];
  /** After the commit: the text is in the queue. */
  queued(): void;
};

export async function createSms(
  deps: CreateDeps,
  organization_id: string,
  input: SmsCreate,
  idempotency: IdempotentRequest | null,
): Promise<Sms> {
  const destination = readNumber(input.to);
  if (!destination.ok)
    throw new ApiError('destination_not_allowed', { detail: destination.reason, path: 'body.to' });
  const named = input.from == null ? null : input.from.replaceAll(/(?<=^\+.*)[\s().-]/g, '');
  // The first try uses cached facts. A refusal, or facts that have changed, cause a second try with fresh ones.
  for (let fresh = false; ; fresh = true) {
    const records = await deps.senders.facts(organization_id, named, fresh);
    const { default_sender, active_carrier: active } = deps;
    const sender = chooseSender(named, destination.country_code, { ...records, default_sender, active });
    if ('refused' in sender) {
      if (!fresh) continue;
      throw new ApiError(sender.refused, sender.detail === undefined ? {} : { detail: sender.detail });
    }
    const sms = newSms(deps, organization_id, sender, input);
    const result = await store(deps, sms, { named, records }, idempotency);
    if (result === 'sender_changed') continue;
    if (result === 'suppressed') {
      throw new ApiError('recipient_suppressed', {
        detail: `${input.to} must not be texted.`,
        path: 'body.to',
      });
    }
    deps.queued();
    return sms;
  }
}

const newSms = (
  { clock, ids }: CreateDeps,
  organization_id: string,
  sender: { from: string; provider: string },
  input: SmsCreate,
): Sms => ({
  id: ids.next(),
  organization_id,
  conversation_id: conversationId(organization_id, sender.from, input.to),
  direction: 'outbound',
  from: sender.from,
  to: input.to,
  body: input.body,
  status: 'queued',
  error_code: null,
  ...segmentsOf(input.body),
  provider: sender.provider,
  provider_message_id: null,
  requested_at: clock.now().toISOString(),
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  hold: null,
  scheduled_at: null,
  metadata: input.metadata ?? {},
});

async function store(
  deps: CreateDeps,
  sms: Sms,
  sender: { named: string | null; records: SenderRecords },
  idempotency: IdempotentRequest | null,
) {
  const { organization_id } = sms;
  // Suppressed recipients are refused by the statement that stores the text.
  const decision = await deps.admission.admit('create', {
    organization_id,
    channel: 'sms',
    origin: 'api',
    recipients: [sms.to],
    provider: sms.provider,
    consent: 'warranted',
    charge: { item: 'sms_segment', quantity: sms.segments, reference: sms.id },
  });
  if (decision.outcome !== 'allow') throw decision.error;
  return deps.store.insert(organization_id, {
    row: {
      ...sms,
      origin: 'api',
      answers_id: null,
      is_shared_sender: sms.from === deps.default_sender,
      next_attempt_at: sms.requested_at,
      attempts: 0,
      claims: 0,
      handed_at: null,
      admission: null,
      terms: null,
    },
    answer: idempotency?.row({ status: 201, body: sms }) ?? null,
    sender,
    guard: decision.commit,
  });
}
