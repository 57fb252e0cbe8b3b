// Creates an outbound text: chooses its sender, checks the rules and stores it in the queue.

import type { Sms, SmsCreate } from '@parley/contract/channels/sms/sms';
import { segmentsOf } from '@parley/contract/channels/sms/sms-segments';
import { default_purpose } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../platform/clock.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import type { Ids } from '../../../../platform/ids.ts';
import {
  type Admission,
  type AdmissionRequest,
  admissionText,
  type CreateDecision,
  dueAt,
  newTerms,
  principalOf,
  readNumber,
  readSchedule,
  type SendingCaller,
} from '../../../rules/admission/index.ts';
import { conversationId } from '../receiving/conversation-id.ts';
import { chargeAndPayload } from '../sms-payload.ts';
import type { SmsStore } from '../store.ts';
import { chooseSender, type SenderFacts } from './sender.ts';
import type { SenderRecords, SenderStore } from './sender-store.ts';
import type { SmsRow } from './sms-record-store.ts';

export type CreateContext = Pick<Context, 'organization_id' | 'idempotency'> & { caller: SendingCaller };

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

export async function createSms(deps: CreateDeps, context: CreateContext, input: SmsCreate): Promise<Sms> {
  const { organization_id } = context;
  const destination = readNumber(input.to);
  if (!destination.ok)
    throw new ApiError('destination_not_allowed', { detail: destination.reason, path: 'body.to' });
  const scheduled_at = readSchedule(deps.clock, input.scheduled_at);
  const wanted = input.from ?? (await senderOfConversation(deps, context));
  const named = wanted === null ? null : wanted.replaceAll(/(?<=^\+.*)[\s().-]/g, '');
  // The first try uses cached facts. A refusal, or facts that have changed, cause a second try with fresh ones.
  for (let fresh = false; ; fresh = true) {
    const records = await deps.senders.facts(organization_id, named, fresh);
    const { default_sender, active_carrier: active } = deps;
    const recipient = { to: input.to, to_country: destination.country_code };
    const sender = chooseSender(named, recipient, { ...records, default_sender, active });
    if ('refused' in sender) {
      if (!fresh) continue;
      throw new ApiError(sender.refused, sender.detail === undefined ? {} : { detail: sender.detail });
    }
    const asked = newSms(deps, organization_id, sender, { ...input, scheduled_at });
    const { sms, result } = await store(deps, context, asked, { named, records, purpose: input.purpose });
    if (result === 'sender_changed') continue;
    if (result === 'suppressed') {
      throw new ApiError('recipient_suppressed', {
        detail: `${input.to} must not be texted.`,
        path: 'body.to',
      });
    }
    if (!sms.hold) deps.queued();
    return sms;
  }
}

/** A conversation token answers from the number that the person wrote to. */
async function senderOfConversation(
  { store, default_sender }: CreateDeps,
  { organization_id, caller }: CreateContext,
): Promise<string | null> {
  if (!caller.conversation) return null;
  const ours = await store.ownNumberOf(organization_id, caller.conversation.thread_ids);
  return ours === default_sender ? null : ours;
}

const newSms = (
  { clock, ids }: CreateDeps,
  organization_id: string,
  sender: { from: string; provider: string },
  input: SmsCreate & { scheduled_at: string | null },
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
  scheduled_at: input.scheduled_at,
  metadata: input.metadata ?? {},
  labels: [],
  content_erased_at: null,
});

type Asked = {
  named: string | null;
  records: SenderRecords;
  purpose: SmsCreate['purpose'];
};

/**
 * The consent is looked up only when the statement that stores the text finds none: an inbound text is one too. Budgets are
 * counted beforehand only when the statement cannot do it, such as when one is used up.
 */
async function store(deps: CreateDeps, context: CreateContext, asked: Sms, details: Asked) {
  const stored = await admitAndStore(deps, context, asked, { ...details, tests_conditions: true });
  return stored.result === 'consent_not_recorded' || stored.result === 'not_counted'
    ? admitAndStore(deps, context, asked, { ...details, tests_conditions: false })
    : stored;
}

async function admitAndStore(
  deps: CreateDeps,
  { caller, idempotency }: CreateContext,
  asked: Sms,
  { purpose, tests_conditions, ...sender }: Asked & { tests_conditions: boolean },
) {
  const { organization_id } = asked;
  const origin = caller.credential_kind === 'agent' ? 'agent' : 'api';
  // Suppressed recipients are refused by the statement that stores the text.
  const request: AdmissionRequest = {
    organization_id,
    channel: 'sms',
    origin,
    recipients: [asked.to],
    conversation_id: asked.conversation_id,
    provider: asked.provider,
    consent: 'warranted',
    principal: principalOf(caller),
    purpose: purpose ?? default_purpose,
    scheduled_at: asked.scheduled_at,
    tests_conditions,
    ...chargeAndPayload(asked),
  };
  const decision = await deps.admission.admit('create', request);
  if (decision.outcome !== 'allow') throw decision.error;
  const sms = decision.hold ? { ...asked, hold: decision.hold } : asked;
  const row: SmsRow = {
    ...sms,
    origin,
    answers_id: null,
    is_shared_sender: sms.from === deps.default_sender,
    ...queuedFields(sms, request, decision),
  };
  const answer = idempotency?.row({ status: 201, body: sms }) ?? null;
  const { conditions, commit: guard } = decision;
  const result = await deps.store.insert(organization_id, { row, answer, sender, conditions, guard });
  return { sms, result };
}

/** The columns of the queue for a new text: one that waits is due later, or when a person has approved it. */
export const queuedFields = (
  { requested_at }: Pick<Sms, 'requested_at'>,
  request: AdmissionRequest,
  decision: Extract<CreateDecision, { outcome: 'allow' }>,
) => ({
  next_attempt_at: decision.hold ? dueAt(decision.hold) : requested_at,
  attempts: 0,
  claims: 0,
  handed_at: null,
  admission: decision.hold ? admissionText(decision) : null,
  terms: newTerms(request, decision),
});
