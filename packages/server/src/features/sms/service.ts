// The rules of texts: consent, a sender that is allowed, a recipient who did not opt out.
import type { Sms, SmsCreate, SmsSuppression } from '@parley/contract/sms';
import { segmentsOf } from '@parley/contract/sms-segments';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { IdempotentRequest } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import { type Admission, type GuardedCarriers, readNumber } from '../admission/index.ts';
import { type MessageWaits, verificationCode, type WaitOptions } from '../message-waits/index.ts';
import { conversationId } from './conversation-id.ts';
import { chooseSender, type SenderFacts } from './sender.ts';
import type { SmsFilter, SmsRow, SmsStore } from './store.ts';
import type { SuppressionStore } from './suppression-store.ts';

export function smsService(deps: {
  db: Database;
  store: SmsStore;
  suppressions: SuppressionStore;
  carriers: GuardedCarriers;
  waits: MessageWaits;
  admission: Pick<Admission, 'admit'>;
  clock: Clock;
  ids: Ids;
  default_sender: string | null;
  committed(): void;
}) {
  const { db, store, suppressions, clock, ids, default_sender } = deps;
  const { active } = deps.carriers;

  const carrier: SenderFacts['active'] = active?.capabilities.sms
    ? { name: active.name, sender_names: active.capabilities.sender_names }
    : null;

  const smsFrom = (
    organization_id: string,
    sender: { from: string; provider: string },
    given: SmsCreate,
  ): Sms => ({
    id: ids.next(),
    organization_id,
    conversation_id: conversationId(organization_id, sender.from, given.to),
    direction: 'outbound',
    from: sender.from,
    to: given.to,
    body: given.body,
    status: 'queued',
    error_code: null,
    ...segmentsOf(given.body),
    provider: sender.provider,
    provider_message_id: null,
    requested_at: clock.now().toISOString(),
    sent_at: null,
    delivered_at: null,
    failed_at: null,
    metadata: given.metadata ?? {},
  });

  const senderId = async (organization_id: string) => {
    const { custom_sender_id, own_number } = await store.senderFacts(organization_id, null);
    return {
      custom_sender_id,
      effective_default: custom_sender_id ?? own_number?.e164 ?? default_sender,
    };
  };

  return {
    async create(
      organization_id: string,
      given: SmsCreate,
      idempotency: IdempotentRequest | null,
    ): Promise<Sms> {
      const destination = readNumber(given.to);
      if (!destination.ok)
        throw new ApiError('destination_not_allowed', { detail: destination.reason, path: 'body.to' });
      const named = given.from == null ? null : given.from.replaceAll(/(?<=^\+.*)[\s().-]/g, '');
      // Chosen from what was seen before; a refusal, or a change since then, is looked at afresh.
      for (let fresh = false; ; fresh = true) {
        const records = await store.senderFacts(organization_id, named, fresh);
        const facts: SenderFacts = { ...records, default_sender, active: carrier };
        const sender = chooseSender(named, destination.country_code, facts);
        if ('refused' in sender) {
          if (!fresh) continue;
          throw new ApiError(sender.refused, sender.detail === undefined ? {} : { detail: sender.detail });
        }
        const sms = smsFrom(organization_id, sender, given);
        const row: SmsRow = {
          ...sms,
          origin: 'api',
          answers_id: null,
          is_shared_sender: sender.from === default_sender,
          next_attempt_at: sms.requested_at,
          attempts: 0,
          claims: 0,
          handed_at: null,
          admission: null,
        };
        // The statement that stores the text leaves suppressed recipients out.
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
        const key = idempotency?.row({ status: 201, body: sms }) ?? null;
        const wish = { organization_id, named, records };
        const result = await store.insert(organization_id, row, key, wish, decision.commit);
        if (result === 'sender_changed') continue;
        if (result === 'left_out') {
          throw new ApiError('recipient_suppressed', {
            detail: `${given.to} must not be texted.`,
            path: 'body.to',
          });
        }
        deps.committed();
        return sms;
      }
    },

    list: (organization_id: string, page: PageRequest & SmsFilter) => store.list(organization_id, page),

    async get(organization_id: string, id: string): Promise<Sms> {
      const sms = await store.find(organization_id, id);
      if (!sms) throw new ApiError('not_found');
      return sms;
    },

    async wait(
      organization_id: string,
      wish: WaitOptions & { to?: string | undefined; from?: string | undefined },
      context: Pick<Context, 'onClose'>,
    ) {
      const sms = await deps.waits.until(organization_id, wish, context, (since) =>
        store.firstInbound(organization_id, { to: wish.to, from: wish.from, since }),
      );
      return { sms, code: sms && verificationCode(sms.body) };
    },

    senderId,

    async setSenderId(organization_id: string, patch: { custom_sender_id?: string | null | undefined }) {
      if (patch.custom_sender_id !== undefined)
        await store.setSenderId(organization_id, patch.custom_sender_id);
      return senderId(organization_id);
    },

    listSuppressions: (organization_id: string, page: PageRequest) =>
      suppressions.list(organization_id, page),

    async suppress(organization_id: string, recipient: string): Promise<SmsSuppression> {
      const entry: SmsSuppression = {
        id: ids.next(),
        organization_id,
        recipient,
        channel: 'sms',
        reason: 'manual',
        source: 'api',
        created_at: clock.now().toISOString(),
      };
      if (await suppressions.add(db, entry)) return entry;
      return (await suppressions.find(organization_id, recipient)) ?? entry;
    },

    async allow(organization_id: string, recipient: string): Promise<undefined> {
      if (!(await suppressions.lift(db, organization_id, recipient))) throw new ApiError('not_found');
    },

    async deleteSuppression(organization_id: string, id: string): Promise<undefined> {
      if (!(await suppressions.delete(organization_id, id))) throw new ApiError('not_found');
    },
  };
}
export type SmsService = ReturnType<typeof smsService>;
