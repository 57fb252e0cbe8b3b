// Decides what becomes of a delivery after an attempt: taken, tried again at its next time, or dead.
import { nextState, type StateOf } from '@parley/contract/lifecycle';
import { webhookDeliveryLifecycle as lifecycle, webhookLadderSeconds } from '@parley/contract/webhooks';

export type DeliveryState = StateOf<typeof lifecycle>;

/** How a delivery stood when the attempt began. Times are in milliseconds. */
export type Standing = {
  status: DeliveryState;
  /** Scheduled attempts still to come, this one included. */
  ladder_left: number;
  first_attempt_at: number | null;
  /** Asked for by hand: beside the ladder, and never counted on it. */
  is_manual: boolean;
};

export type Outcome = {
  status: DeliveryState;
  ladder_left: number;
  first_attempt_at: number | null;
  /** Null when nothing more is scheduled. */
  due_at: number | null;
  /** The ladder came to its end: this counts against the subscription, a failed manual attempt does not. */
  died: boolean;
};

const rungs = webhookLadderSeconds.length;

export const ladder_start = rungs;

/** When the next scheduled attempt is due, counted from the first one. */
export const dueAt = (first_attempt_at: number, ladder_left: number): number =>
  first_attempt_at + webhookLadderSeconds[rungs - ladder_left]! * 1000;

export function afterAttempt(before: Standing, attempt: { ok: boolean; attempted_at: number }): Outcome {
  const first_attempt_at = before.first_attempt_at ?? (before.is_manual ? null : attempt.attempted_at);
  const ladder_left = before.is_manual ? before.ladder_left : before.ladder_left - 1;
  const settled = { ladder_left, first_attempt_at, due_at: null, died: false };

  if (attempt.ok)
    return { ...settled, status: nextState(lifecycle, before.status, 'accepted') ?? before.status };
  // A delivery that was taken once stays delivered, whatever a later copy met.
  if (before.status !== 'pending') return { ...settled, status: before.status };
  if (ladder_left > 0) {
    const due_at = first_attempt_at === null ? attempt.attempted_at : dueAt(first_attempt_at, ladder_left);
    return { ...settled, status: 'pending', due_at };
  }
  return {
    ...settled,
    status: nextState(lifecycle, before.status, 'exhausted')!,
    died: !before.is_manual,
  };
}
