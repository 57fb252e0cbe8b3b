// Texts that wait: moved to another time, canceled, or released when a person has approved them.
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import {
  type Admission,
  type AdmissionRequest,
  approvedState,
  type HeldEndReason,
  type HeldRecords,
  type HeldRef,
  movedState,
  newApproval,
  readSchedule,
  type WithdrawApproval,
} from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import { conversationId } from '../receiving/conversation-id.ts';
import { chargeAndPayload, payloadOf } from '../sms-payload.ts';
import type { SmsStore } from '../store.ts';
import type { HeldSms, HeldSmsStore } from './store.ts';

export type HeldSmsDeps = {
  db: Database;
  store: SmsStore;
  held_store: HeldSmsStore;
  admission: Pick<Admission, 'admit'>;
  /** Null where there are no approvals. */
  withdrawApproval: WithdrawApproval | null;
  budgets: Pick<Budgets, 'giveBack'>;
  clock: Clock;
};

/** The port for approvals. `queued` is called after the commit that makes a text due. */
export function heldSms(deps: HeldSmsDeps & { queued(): void }): HeldRecords {
  const { held_store, clock } = deps;
  return {
    async release(tx, ref, { approval_id }) {
      const text = await held_store.lock(tx, ref);
      const now = clock.now();
      const approved = text && approvedState(text, approval_id, now);
      if (!approved) return false;
      await held_store.wait(tx, ref, approved, now);
      if (!approved.hold) tx.afterCommit(deps.queued);
      return true;
    },
    async cancel(tx, ref, end_reason) {
      const text = await held_store.lock(tx, ref);
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
  { held_store, budgets, clock }: HeldSmsDeps,
  tx: Transaction,
  text: HeldSms,
  end_reason: HeldEndReason,
): Promise<Sms | null> {
  const canceled = await held_store.cancel(tx, text, end_reason, clock.now());
  if (canceled) await budgets.giveBack(text.terms?.counted ?? [], tx);
  return canceled;
}

export async function cancelSms(deps: HeldSmsDeps, ref: HeldRef): Promise<Sms> {
  const { db, held_store } = deps;
  const canceled = await db.transaction(async (tx) => {
    const text = await held_store.lock(tx, ref);
    if (!text) return null;
    const { organization_id } = ref;
    const { approval_id } = text.hold;
    if (approval_id !== null) await deps.withdrawApproval?.(tx, { organization_id, approval_id });
    return end(deps, tx, text, 'canceled');
  });
  return canceled ?? notWaiting(deps, ref);
}

export async function rescheduleSms(deps: HeldSmsDeps, ref: HeldRef, asked_at: string): Promise<Sms> {
  const before = await deps.held_store.find(ref);
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
    const text = await deps.held_store.lock(tx, ref);
    const state = text && movedState(text, before, { scheduled_at, approval });
    if (!state) return null;
    const changed = await deps.held_store.wait(tx, ref, state, deps.clock.now());
    await approval?.commit?.(tx);
    return changed;
  });
  return moved ?? notWaiting(deps, ref);
}

const smsRequest = (text: HeldSms): AdmissionRequest => ({
  organization_id: text.organization_id,
  channel: 'sms',
  origin: text.origin === 'agent' ? 'agent' : 'api',
  recipients: [text.to],
  conversation_id: conversationId(text.organization_id, text.from, text.to),
  provider: text.provider,
  consent: text.origin === 'agent' ? 'inbound_message' : 'warranted',
  ...chargeAndPayload(text),
});

async function notWaiting({ store }: HeldSmsDeps, { organization_id, id }: HeldRef): Promise<never> {
  throw new ApiError((await store.find(organization_id, id)) ? 'already_handed_over' : 'not_found');
}
