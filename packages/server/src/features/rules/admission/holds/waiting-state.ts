// What a record that waits changes to: a person approved it, or it was moved to another time.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { AdmissionRequest, SendingTerms, Stopped } from '../admission.ts';
import type { Admit } from '../admit.ts';
import { default_terms, handOverTerms } from '../terms.ts';
import { holdUntilTime, scheduleHold } from './holds.ts';

export type WaitingState = {
  /** Null: it may be handed over now. */
  hold: Hold | null;
  scheduled_at: string | null;
  terms: SendingTerms | null;
};

type Waiting = WaitingState & { hold: Hold };

/** Null when the record does not wait for this approval. */
export function approvedState(record: Waiting, approval_id: string, now: Date): WaitingState | null {
  if (record.hold.approval_id !== approval_id) return null;
  const { scheduled_at, terms } = record;
  return {
    hold: holdUntilTime(scheduled_at, now),
    scheduled_at,
    terms: { ...default_terms, ...terms, approval_id },
  };
}

/**
 * The approval that a record needs for its new time: an approval is valid for the payload with its time. Null when it needs
 * none. Nothing is counted now, and every other rule is checked again when the record is sent.
 */
export async function newApproval(
  admission: { admit: Admit },
  { terms: before }: Pick<WaitingState, 'terms'>,
  request: AdmissionRequest,
): Promise<Stopped | null> {
  if ((before?.approval_id ?? null) === null) return null;
  const terms = { ...default_terms, ...before, approval_id: null, is_counted_at_hand_over: false };
  const decision = await admission.admit('hand_over', { ...request, ...handOverTerms(terms) });
  return decision.outcome === 'defer' && decision.hold?.kind === 'approval' ? decision : null;
}

/** `record` is locked. Null when it was approved, or waits for an approval, since `before` was read. */
export function movedState(
  record: Waiting,
  before: Pick<WaitingState, 'terms'>,
  { scheduled_at, approval }: { scheduled_at: string; approval: Stopped | null },
): Waiting | null {
  const approvalOf = ({ terms }: Pick<WaitingState, 'terms'>) => terms?.approval_id ?? null;
  if (record.hold.kind === 'approval' || approvalOf(record) !== approvalOf(before)) return null;
  return {
    hold: approval?.hold ?? scheduleHold(scheduled_at),
    scheduled_at,
    terms: { ...default_terms, ...record.terms, approval_id: null },
  };
}
