// The operations on texts: create, read, move to another time, cancel, wait for one, and manage senders and suppressions.

import {
  type Sms,
  type SmsCreate,
  type SmsStatistics,
  type SmsSuppression,
  smsLifecycle,
} from '@parley/contract/channels/sms/sms';
import type { MessagePatch } from '@parley/contract/rules/approvals/hold';
import type { Database } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Context, isPerson } from '../../../platform/http/context.ts';
import { type Bucket, statisticsRange, statusSeries } from '../../../platform/status-series.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { messageLabels } from '../../inbox/labels/index.ts';
import { type MessageWaits, verificationCode, type WaitOptions } from '../../inbox/message-waits/index.ts';
import type { WaitingRef } from '../../rules/admission/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import { type CreateContext, type CreateDeps, createSms } from './sending/create-sms.ts';
import type { SmsFilter } from './store.ts';
import type { SuppressionStore } from './suppression-store.ts';
import { cancelSms, rescheduleSms, type WaitingSmsDeps } from './waiting/waiting-sms.ts';

export type SmsServiceDeps = CreateDeps &
  WaitingSmsDeps & {
    db: Database;
    suppressions: SuppressionStore;
    revocations: Pick<ConsentRevocations, 'lift' | 'requireMayUnsuppress'>;
    audit: AuditLog;
    waits: MessageWaits;
  };
type WaitFilter = WaitOptions & {
  to?: string | undefined;
  from?: string | undefined;
  conversation_ids?: readonly string[] | undefined;
};

export function smsService(deps: SmsServiceDeps) {
  const { store, senders, suppressions } = deps;
  const changeLabels = messageLabels(deps.db, 'sms_messages');
  const get = async (organization_id: string, id: string): Promise<Sms> => {
    const sms = await store.find(organization_id, id);
    if (!sms) throw new ApiError('not_found');
    return sms;
  };
  return {
    create: (context: CreateContext, input: SmsCreate): Promise<Sms> => createSms(deps, context, input),

    async update({ organization_id, id }: WaitingRef, { scheduled_at, labels }: MessagePatch): Promise<Sms> {
      if (scheduled_at !== undefined) await rescheduleSms(deps, { organization_id, id }, scheduled_at);
      if (labels) await changeLabels(organization_id, id, labels);
      return get(organization_id, id);
    },

    cancel: (ref: WaitingRef): Promise<Sms> => cancelSms(deps, ref),

    list: (organization_id: string, page: PageRequest & SmsFilter) => store.list(organization_id, page),

    get,

    async stats(organization_id: string, query: { days: number; bucket: Bucket }): Promise<SmsStatistics> {
      const to = deps.clock.now();
      const range = { from: statisticsRange(to, query), to, bucket: query.bucket };
      const rows = await store.countByStatus(organization_id, range);
      return statusSeries(smsLifecycle.states, range, rows);
    },

    wait: (organization_id: string, filter: WaitFilter, context: Pick<Context, 'onClose'>) =>
      waitForSms(deps, organization_id, filter, context),

    senderId: (organization_id: string) => senderId(deps, organization_id),

    async setSenderId(organization_id: string, patch: { custom_sender_id?: string | null | undefined }) {
      if (patch.custom_sender_id !== undefined)
        await senders.setSenderId(organization_id, patch.custom_sender_id);
      return senderId(deps, organization_id);
    },

    listSuppressions: (organization_id: string, page: PageRequest) =>
      suppressions.list(organization_id, page),

    suppress: (context: Context, recipient: string) => suppress(deps, context, recipient),

    deleteSuppression: (context: Context, entry: { id: string } | { recipient: string }) =>
      deleteSuppression(deps, context, entry),
  };
}
export type SmsService = ReturnType<typeof smsService>;

/** The next inbound text that matches, with the verification code in it. */
async function waitForSms(
  { store, waits }: SmsServiceDeps,
  organization_id: string,
  filter: WaitFilter,
  context: Pick<Context, 'onClose'>,
) {
  const sms = await waits.until(organization_id, filter, context, (since) =>
    store.firstInbound(organization_id, {
      to: filter.to,
      from: filter.from,
      conversation_ids: filter.conversation_ids,
      since,
    }),
  );
  return { sms, code: sms && verificationCode(sms.body) };
}

async function senderId({ senders, default_sender }: SmsServiceDeps, organization_id: string) {
  const { custom_sender_id, own_number } = await senders.facts(organization_id, null);
  return { custom_sender_id, effective_default: custom_sender_id ?? own_number?.e164 ?? default_sender };
}

async function suppress(
  { db, suppressions, ids, clock }: SmsServiceDeps,
  { organization_id, caller }: Context,
  recipient: string,
): Promise<SmsSuppression> {
  const entry: SmsSuppression = {
    id: ids.next(),
    organization_id,
    recipient,
    channel: 'sms',
    reason: 'manual',
    source: 'api',
    created_at: clock.now().toISOString(),
  };
  await suppressions.add(db, { ...entry, is_by_program: !isPerson(caller) });
  return (await suppressions.find(organization_id, recipient)) ?? entry;
}

/** Allows texts and calls to the number again. The audit log says who did it. */
async function deleteSuppression(
  deps: SmsServiceDeps,
  context: Context,
  entry: { id: string } | { recipient: string },
): Promise<undefined> {
  const { organization_id } = context;
  await deps.db.transaction(async (tx) => {
    const removed = await deps.suppressions.delete(tx, organization_id, entry);
    if (!removed) throw new ApiError('not_found');
    const { id, recipient, reason } = removed;
    const { is_refused } = await deps.revocations.requireMayUnsuppress(tx, context, removed);
    // A text of the recipient does not say that calls are welcome again.
    const channels = isPerson(context.caller) ? (['sms', 'call'] as const) : (['sms'] as const);
    if (is_refused) await deps.revocations.lift(tx, organization_id, recipient, channels);
    const action = 'sms_suppression.deleted';
    const detail = { recipient, reason };
    await deps.audit.write(tx, actorOf(context), { organization_id, action, object_id: id, detail });
  });
}
