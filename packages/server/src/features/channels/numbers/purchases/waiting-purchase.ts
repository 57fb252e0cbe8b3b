// Purchases that wait for a person: stored without asking the carrier, carried out once after the approval, or ended.
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Jobs } from '../../../../platform/jobs.ts';
import type {
  WaitingEndReason,
  WaitingRecords,
  WaitingRef,
  WithdrawApproval,
} from '../../../rules/admission/index.ts';
import { default_terms } from '../../../rules/admission/index.ts';
import type { HeldNumber } from '../store.ts';
import { admitPurchase, type PurchaseRuleDeps, purchasePayload } from './purchase-rules.ts';
import { type SettleDeps, type SettlePayload, settle_job } from './settle.ts';

export type WaitingPurchaseDeps = SettleDeps &
  PurchaseRuleDeps & {
    enqueue: Jobs['enqueue'];
    withdrawApproval: WithdrawApproval;
  };

const failure_reasons: Record<WaitingEndReason, string> = {
  approval_rejected: 'A person rejected the purchase.',
  approval_expired: 'Nobody approved the purchase in time.',
  canceled: 'The purchase was canceled.',
};

/** The port for approvals. */
export const waitingNumbers = (deps: WaitingPurchaseDeps): WaitingRecords => ({
  async release(tx, { organization_id, id }, { approval_id }) {
    const number = await deps.store.lock(tx, organization_id, id);
    if (number?.hold?.approval_id !== approval_id) return false;
    const terms = { ...default_terms, ...number.terms, approval_id, is_counted_at_hand_over: true };
    const now = deps.clock.now();
    await deps.store.setHold(tx, organization_id, id, { hold: null, terms, now });
    const payload: SettlePayload = { organization_id, number_id: id, request_id: approval_id, key: null };
    await deps.enqueue(tx, { kind: settle_job, payload, unique_key: `settle:${id}`, run_at: now });
    return true;
  },
  cancel: async (tx, ref, end_reason) => (await endWaiting(deps, tx, ref, end_reason)) !== null,
  async payload({ organization_id, id }) {
    const number = await deps.store.findHeld(organization_id, id);
    return number && purchasePayload(number);
  },
});

async function endWaiting(
  { store, clock }: WaitingPurchaseDeps,
  tx: Parameters<WaitingRecords['cancel']>[0],
  { organization_id, id }: WaitingRef,
  end_reason: WaitingEndReason,
): Promise<PhoneNumber | null> {
  const number = await store.lock(tx, organization_id, id);
  if (!number?.hold) return null;
  const set = { failure_reason: failure_reasons[end_reason], hold: null, updated_at: clock.now() };
  return store.move(tx, organization_id, id, 'refused', set);
}

/** The buyer no longer wants a number that waits. Null when it does not wait any more. */
export const cancelWaiting = (deps: WaitingPurchaseDeps, ref: WaitingRef): Promise<PhoneNumber | null> =>
  deps.db.transaction(async (tx) => {
    const number = await deps.store.lock(tx, ref.organization_id, ref.id);
    const ended = await endWaiting(deps, tx, ref, 'canceled');
    const approval_id = number?.hold?.approval_id;
    if (ended && approval_id)
      await deps.withdrawApproval(tx, { organization_id: ref.organization_id, approval_id });
    return ended;
  });

/**
 * The rules may have changed since the approval. False when the number must not be bought now. Counted once, also when the job
 * runs again because the carrier did not answer.
 */
export async function mayBuyApproved(deps: WaitingPurchaseDeps, number: HeldNumber): Promise<boolean> {
  const { organization_id, id, terms } = number;
  if (number.hold) return false;
  if (!terms?.is_counted_at_hand_over) return true;
  try {
    const { hold, commit, counted } = await admitPurchase(deps, 'hand_over', number, terms);
    const now = deps.clock.now();
    await deps.db.transaction(async (tx) => {
      const allowed = { ...terms, is_counted_at_hand_over: false, counted };
      await deps.store.setHold(tx, organization_id, id, { hold, terms: hold ? terms : allowed, now });
      await commit?.(tx);
    });
    return hold === null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const set = { failure_reason: error.message, updated_at: deps.clock.now() };
    await deps.db.transaction((tx) => deps.store.move(tx, organization_id, id, 'refused', set));
    return false;
  }
}
