// Texts that wait: moved to another time, canceled, or released when a person has approved them.
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import {
  type Admission,
  type AdmissionRequest,
  approvedState,
  movedState,
  newApproval,
  readSchedule,
  type WaitingEndReason,
  type WaitingRecords,
  type WaitingRef,
  type WithdrawApproval,
} from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import { conversationId } from '../receiving/conversation-id.ts';
import { chargeAndPayload, payloadOf } from '../sms-payload.ts';
import type { SmsStore } from '../store.ts';
import type { WaitingSms, WaitingSmsStore } from './store.ts';

export type WaitingSmsDeps = {
  db: Database;
  store: SmsStore;
  waiting_store: WaitingSmsStore;
  admission: Pick<Admission, 'admit'>;
  /** Null where there are no approvals. */
  withdrawApproval: WithdrawApproval | null;
  budgets: Pick<Budgets, 'giveBack'>;
  clock: Clock;
};

/** The port for approvals. `queued` is called after the commit that makes a text due. */
export function waitingSms(deps: WaitingSmsDeps & { queued(): void }): WaitingRecords {
  const { waiting_store, clock } = deps;
  return {
    async release(tx, ref, { approval_id }) {
      const text = await waiting_store.lock(tx, ref);
      const now = clock.now();
      const approved = text && approvedState(text, approval_id, now);
      if (!approved) return false;
      await waiting_store.wait(tx, ref, approved, now);
      if (!approved.hold) tx.afterCommit(deps.queued);
      return true;
    },
    async cancel(tx, ref, end_reason) {
      const text = await waiting_store.lock(tx, ref);
      return text !== null && (await end(deps, tx, text, end_reason)) !== null;
    },
    async payload({ organization_id, id }) {
      const text = await deps.store.find(organization_id, id);
      return text && payloadOf(text);
    },
  };
}

/** The text must be locked. What was counted for it, before a rule held it back, is free again. */
async function end(
  { waiting_store, budgets, clock }: WaitingSmsDeps,
  tx: Transaction,
  text: WaitingSms,
  end_reason: WaitingEndReason,
): Promise<Sms | null> {
  const canceled = await waiting_store.cancel(tx, text, end_reason, clock.now());
  if (canceled) await budgets.giveBack(text.terms?.counted ?? [], tx);
  return canceled;
}

export async function cancelSms(deps: WaitingSmsDeps, ref: WaitingRef): Promise<Sms> {
  const { db, waiting_store } = deps;
  const canceled = await db.transaction(async (tx) => {
    const text = await waiting_store.lock(tx, ref);
    if (!text) return null;
    const { organization_id } = ref;
    const { approval_id } = text.hold;
    if (approval_id !== null) await deps.withdrawApproval?.(tx, { organization_id, approval_id });
    return end(deps, tx, text, 'canceled');
  });
  return canceled ?? notWaiting(deps, ref);
}

export async function rescheduleSms(deps: WaitingSmsDeps, ref: WaitingRef, asked_at: string): Promise<Sms> {
  const before = await deps.waiting_store.find(ref);
  if (!before) return notWaiting(deps, ref);
  const scheduled_at = readSchedule(deps.clock, asked_at)!;
  if (before.hold.kind === 'approval') {
    throw new ApiError('held', {
      detail:
        'It waits for an approval, and the time is part of what is approved. Cancel it and send it again.',
    });
  }
  const approval = await newApproval(deps.admission, before, smsRequest({ ...before, scheduled_at }));
  const moved = await deps.db.transaction(async (tx) => {
    const text = await deps.waiting_store.lock(tx, ref);
    const state = text && movedState(text, before, { scheduled_at, approval });
    if (!state) return null;
    const changed = await deps.waiting_store.wait(tx, ref, state, deps.clock.now());
    await approval?.commit?.(tx);
    return changed;
  });
  return moved ?? notWaiting(deps, ref);
}

const smsRequest = (text: WaitingSms): AdmissionRequest => ({
  organization_id: text.organization_id,
  channel: 'sms',
  origin: text.origin === 'agent' ? 'agent' : 'api',
  recipients: [text.to],
  conversation_id: conversationId(text.organization_id, text.from, text.to),
  provider: text.provider,
  consent: text.origin === 'agent' ? 'inbound_message' : 'warranted',
  ...chargeAndPayload(text),
});

async function notWaiting({ store }: WaitingSmsDeps, { organization_id, id }: WaitingRef): Promise<never> {
  throw new ApiError((await store.find(organization_id, id)) ? 'already_handed_over' : 'not_found');
}
