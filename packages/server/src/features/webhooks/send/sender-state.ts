// The state of the webhook sender of one process, shared by the modules that queue, send and claim deliveries.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { AttemptResult } from '../../../platform/metrics.ts';
import type { Attempter } from './attempt.ts';
import type { Claim } from './claim-store.ts';
import type { DeliveryResult, Queued } from './delivery.ts';
import type { RecipientCache } from './recipients.ts';
import type { ResultWriter } from './result-writer.ts';
import type { SubscriptionQueues } from './subscription-queues.ts';

export type SenderDeps = {
  db: Database;
  recipients: RecipientCache;
  attempt: Attempter;
  clock: Clock;
  log: Log;
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
  released: Claim[];
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
/** With so many results unstored the database is unavailable: sending more would only increase the repeats after a crash. */
const default_max_unstored = 5000;

export const leaseEnd = ({ deps }: Sender, now_ms: number): number =>
  now_ms + deps.timeout_ms + lease_margin_ms;

export const canSendMore = ({ deps, results }: Sender): boolean =>
  results.waiting.length < (deps.max_unstored ?? default_max_unstored);
