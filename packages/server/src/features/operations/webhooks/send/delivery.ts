// A delivery on its way through the sender, and the rows that are stored after its attempt.
import type { AttemptResult } from '../../../../platform/metrics.ts';
import type { Attempt, Message } from './attempt.ts';
import { deliveryId } from './delivery-id.ts';
import type { Claim } from './queue/claim-store.ts';
import type { EventLease, LeasedEvent } from './queue/lease-store.ts';
import type { AttemptEnd } from './queue/subscription-queues.ts';
import type { Completion } from './results/completion-store.ts';
import type { FirstResult } from './results/first-result-store.ts';
import { afterAttempt, type DeliveryProgress, ladder_start, type Outcome } from './results/retry-ladder.ts';

/** `unstored` counts the deliveries of the lease that have no row yet; at zero the lease is deleted. */
export type OwnLease = EventLease & { lease_until: number; unstored: number };

export type QueuedEvent = LeasedEvent & {
  lease: OwnLease;
  source_name: string | null;
  body: Buffer;
  traceparent: string | null;
};

export type Delivery = Claim &
  DeliveryProgress &
  Message & {
    lease_until: number;
    /** Set for the first attempt of a leased event; null for a delivery that was claimed from its row. */
    event: QueuedEvent | null;
  };

/** Queue the event, not a delivery object: building the delivery when it is sent keeps it out of the old GC generation. */
export type Queued = QueuedEvent | Delivery;

/** `attempt: null` releases the delivery, so that any process can claim it. */
export type DeliveryResult = { delivery: Delivery; attempt: Attempt | null; is_stored: boolean };

/** A receiver that takes longer gets no more attempts at a time than a new one. */
const slow_ms = 1000;

export function toDelivery({ subscription_id, item }: { subscription_id: string; item: Queued }): Delivery {
  if (!('lease' in item)) return item;
  return {
    id: deliveryId(item.event_id, subscription_id),
    claim_no: 1,
    subscription_id,
    event_type: item.event_type,
    source_name: item.source_name,
    status: 'pending',
    ladder_left: ladder_start,
    first_attempt_at: null,
    is_manual: false,
    body: item.body,
    traceparent: item.traceparent,
    lease_until: item.lease.lease_until,
    event: item,
  };
}

export function toCompletion(delivery: Delivery, attempt: Attempt): Completion {
  const outcome = outcomeOf(delivery, attempt);
  return {
    id: delivery.id,
    claim_no: delivery.claim_no,
    subscription_id: delivery.subscription_id,
    from_status: delivery.status,
    to_status: outcome.status,
    ladder_left: outcome.ladder_left,
    first_attempt_at: outcome.first_attempt_at,
    due_at: outcome.due_at,
    was_manual: delivery.is_manual,
    is_exhausted: outcome.is_exhausted,
    attempt: attempt.record,
  };
}

export function toFirstResult({ delivery, attempt }: DeliveryResult): FirstResult {
  const outcome = attempt && outcomeOf(delivery, attempt);
  return {
    event: delivery.event!,
    id: delivery.id,
    subscription_id: delivery.subscription_id,
    status: outcome?.status ?? 'pending',
    ladder_left: outcome?.ladder_left ?? delivery.ladder_left,
    first_attempt_at: outcome?.first_attempt_at ?? null,
    due_at: outcome?.due_at ?? null,
    attempt: attempt?.record ?? null,
  };
}

/** For the metrics. */
export function resultOf(delivery: DeliveryProgress, attempt: Attempt): AttemptResult {
  if (attempt.record.error === null) return 'delivered';
  return outcomeOf(delivery, attempt).due_at === null ? 'failed' : 'retrying';
}

/** For the concurrency of the subscription's queue. */
export function endOf({ error, duration_ms }: Attempt['record']): AttemptEnd {
  if (error) return 'failed';
  return duration_ms > slow_ms ? 'slow' : 'fast';
}

const outcomeOf = (delivery: DeliveryProgress, { started_ms, record }: Attempt): Outcome =>
  afterAttempt(delivery, { ok: record.error === null, attempted_at: started_ms });
