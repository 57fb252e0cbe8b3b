// Decides the next state of a delivery after an attempt: delivered, retried at its next scheduled time, or dead.

import {
  webhookDeliveryLifecycle as lifecycle,
  webhookLadderSeconds,
} from '@parley/contract/operations/webhooks/webhooks';
import { nextState, type StateOf } from '@parley/contract/schema/lifecycle';

export type DeliveryState = StateOf<typeof lifecycle>;

/** The state of a delivery when the attempt started. Times are in milliseconds. */
export type DeliveryProgress = {
  status: DeliveryState;
  /** Scheduled attempts that are left, including this one. */
  ladder_left: number;
  first_attempt_at: number | null;
  /** Requested by a client: an extra attempt that does not use up a scheduled one. */
  is_manual: boolean;
};

export type Outcome = {
  status: DeliveryState;
  ladder_left: number;
  first_attempt_at: number | null;
  /** Null when no attempt is scheduled. */
  due_at: number | null;
  /** The last scheduled attempt failed. This counts against the subscription; a failed manual attempt does not. */
  is_exhausted: boolean;
};

const steps = webhookLadderSeconds.length;

export const ladder_start = steps;

/** When the next scheduled attempt is due, counted from the first one. */
export const dueAt = (first_attempt_at: number, ladder_left: number): number =>
  first_attempt_at + webhookLadderSeconds[steps - ladder_left]! * 1000;

/** Between the attempt and the one before it. */
const gapBefore = (ladder_left: number): number =>
  (webhookLadderSeconds[steps - ladder_left]! - webhookLadderSeconds[steps - ladder_left - 1]!) * 1000;

export function afterAttempt(
  before: DeliveryProgress,
  attempt: { ok: boolean; attempted_at: number },
): Outcome {
  const first_attempt_at = before.first_attempt_at ?? (before.is_manual ? null : attempt.attempted_at);
  const ladder_left = before.is_manual ? before.ladder_left : before.ladder_left - 1;
  const settled = { ladder_left, first_attempt_at, due_at: null, is_exhausted: false };

  if (attempt.ok)
    return { ...settled, status: nextState(lifecycle, before.status, 'accepted') ?? before.status };
  // Once delivered, a delivery stays delivered, even when a redelivery fails.
  if (before.status !== 'pending') return { ...settled, status: before.status };
  if (ladder_left > 0) {
    if (first_attempt_at === null) return { ...settled, status: 'pending', due_at: attempt.attempted_at };
    const planned = dueAt(first_attempt_at, ladder_left);
    // After a long stop several planned times may have passed. The receiver still gets time between the attempts.
    const earliest = before.is_manual ? planned : attempt.attempted_at + gapBefore(ladder_left) / 2;
    return { ...settled, status: 'pending', due_at: Math.max(planned, earliest) };
  }
  return {
    ...settled,
    status: nextState(lifecycle, before.status, 'exhausted')!,
    is_exhausted: !before.is_manual,
  };
}
