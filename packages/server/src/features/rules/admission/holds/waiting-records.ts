// The port by which approvals release, cancel and read records that wait for a person: one per channel, in the feature of the channel.
import type { Transaction } from '../../../../platform/db/database.ts';
import type { Payload } from '../admission.ts';

export type WaitingRef = { organization_id: string; id: string };

/** Why a record that waited for an approval will never be sent. */
export type WaitingEndReason = 'canceled' | 'approval_rejected' | 'approval_expired';

export type WaitingRecords = {
  /**
   * The approval was given. The record is sent as soon as possible, or waits for its time when it has one ahead; admission
   * decides again at the hand-over. False, and nothing changed, when the record does not wait for this approval.
   */
  release(tx: Transaction, ref: WaitingRef, given: { approval_id: string }): Promise<boolean>;
  /** Ends a record that still waits, for whatever reason. False, and nothing changed, when it does not wait any more. */
  cancel(tx: Transaction, ref: WaitingRef, end_reason: WaitingEndReason): Promise<boolean>;
  /** What would be sent, as it is stored now; null when there is no such record. */
  payload(ref: WaitingRef): Promise<Payload | null>;
};

/** The caller canceled a record that waits for this approval, in the same transaction. Nobody can decide the approval any more. */
export type WithdrawApproval = (
  tx: Transaction,
  approval: { organization_id: string; approval_id: string },
) => Promise<void>;
