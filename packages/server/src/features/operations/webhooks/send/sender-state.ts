// The state of the webhook sender of one process, shared by the modules that queue, send and claim deliveries.
import type { Database } from '../../../../platform/db/database.ts';
import type { AttemptResult } from '../../../../platform/metrics.ts';
import type { SetAsideDeps } from '../../../../platform/set-aside.ts';
import type { Solo } from '../../../../platform/solo.ts';
import type { Attempter } from './attempt.ts';
import type { Delivery, DeliveryResult, Queued } from './delivery.ts';
import type { Release } from './queue/claim-store.ts';
import type { RecipientCache } from './queue/recipients.ts';
import type { SubscriptionQueues } from './queue/subscription-queues.ts';
import type { ResultWriter } from './results/result-writer.ts';

export type SenderDeps = SetAsideDeps & {
  db: Database;
  solo: Solo;
  recipients: RecipientCache;
  attempt: Attempter;
  countAttempt(result: AttemptResult): void;
  timeout_ms: number;
  /** Aborts the attempts in flight, for a stop that may wait no longer. */
  abortAttempts(): Promise<void>;
  stop_grace_ms?: number;
  max_unstored?: number;
  poll_ms?: number;
};

export type Sender = {
  readonly deps: SenderDeps;
  /** `created` → `running` by start(), `running` → `stopped` by stop(). Only a running sender polls and takes leases. */
  state: 'created' | 'running' | 'stopped';
  readonly queues: SubscriptionQueues<Queued>;
  readonly results: ResultWriter<DeliveryResult>;
  /** Called when nothing is queued and nothing is in flight. */
  readonly idle_callbacks: Set<() => void>;
  /** Subscriptions that have more due deliveries in the database than their queue could take. */
  readonly backlogged: Set<string>;
  /** Called when the queue of a backlogged subscription runs low, so that the next poll comes early. */
  readonly onQueueLow: () => void;
  /** Claimed deliveries that were not sent; the next poll releases them in the database. */
  released: Release[];
  /** The delivery that runs alone, until its result or its release is stored. */
  alone: Delivery | null;
  poll_timer: NodeJS.Timeout | undefined;
  /** Settles when the current poll ends, with whether it claimed something; null between polls. */
  polling: Promise<boolean> | null;
  /** When the next delivery becomes due, found by the last poll. */
  next_due_ms: number | null;
  scheduled_send: NodeJS.Immediate | null;
  slow_check_timer: NodeJS.Timeout | null;
};

/** How long a delivery may wait in this process, beyond the time of an attempt, before another process may claim it. */
const lease_margin_ms = 15_000;
/** The result must be stored before the lease ends: otherwise the delivery is sent twice, and its claim counts as lost. */
const store_margin_ms = 2000;

/** An attempt that starts now may end after the lease. */
export const isTooLate = ({ deps }: Sender, lease_until: number): boolean =>
  deps.clock.ms() + deps.timeout_ms + store_margin_ms > lease_until;

/** Call it with what was stored. */
export function endAlone(sender: Sender, has: (delivery: Delivery) => boolean): void {
  if (!sender.alone || !has(sender.alone)) return;
  sender.alone = null;
  sender.deps.solo.leave();
}

/** With so many results unstored the database is unavailable: sending more would only increase the repeats after a crash. */
const default_max_unstored = 5000;

export const leaseEnd = ({ deps }: Sender, now_ms: number): number =>
  now_ms + deps.timeout_ms + lease_margin_ms;

export const canSendMore = ({ deps, results }: Sender): boolean =>
  results.waiting.length < (deps.max_unstored ?? default_max_unstored);
