// The webhook sender of one process. It sends deliveries of new events immediately after their commit, and claims
// deliveries that are due for a retry or were left by another process.
import type { Row } from '../../../../platform/db/database.ts';
import type { StoredEvent } from '../../../../platform/event.ts';
import { type OwnLease, type QueuedEvent, toDelivery } from './delivery.ts';
import { findDue } from './queue/claim-store.ts';
import type { LeasedRow } from './queue/lease-store.ts';
import { poll, schedulePoll, storeReleases, wakePoll } from './queue/poll.ts';
import { release, sendSoon } from './queue/send-queued.ts';
import {
  createQueues,
  enqueue,
  fullQueues,
  isIdle,
  type QueueLimits,
  removeQueued,
} from './queue/subscription-queues.ts';
import { createResultWriter, flushResults } from './results/result-writer.ts';
import { storeResults } from './results/store-results.ts';
import { canSendMore, endAlone, leaseEnd, type Sender, type SenderDeps } from './sender-state.ts';

const queue_limits: QueueLimits = {
  max_recent: 128,
  max_in_flight: 1024,
  concurrency_start: 4,
  concurrency_max: 64,
  max_queued: 50_000,
  max_queued_unproven: 1000,
};
const stop_grace_ms = 5000;
const stop_flush_ms = 2000;

export function webhookSender(deps: SenderDeps) {
  const sender: Sender = {
    deps,
    state: 'created',
    queues: createQueues(queue_limits),
    results: createResultWriter({
      async store(batch) {
        await storeResults(deps, batch);
        endAlone(sender, (alone) => batch.some(({ delivery }) => delivery === alone));
      },
      onStored: () => sendSoon(sender),
      log: deps.log,
    }),
    idle_callbacks: new Set(),
    backlogged: new Set(),
    onQueueLow: () => wakePoll(sender),
    released: [],
    alone: null,
    poll_timer: undefined,
    polling: null,
    next_due_ms: null,
    scheduled_send: null,
    slow_check_timer: null,
  };
  return {
    lease: () => offerLease(sender),
    accept: (rows: Row[], events: readonly StoredEvent[]) =>
      acceptLeased(sender, rows as LeasedRow[], events),
    wake: () => wakePoll(sender),
    start(): void {
      sender.state = 'running';
      schedulePoll(sender, 0);
    },
    /** When the next delivery may be claimed. */
    async nextDue(): Promise<Date | null> {
      const due = await findDue(deps.db, deps.clock.now());
      return due.subscription_ids.length > 0 || due.has_manual ? deps.clock.now() : due.next_at;
    },
    drain: () => drain(sender),
    stop: (abort?: AbortSignal) => stop(sender, abort),
  };
}

/** For the outbox: the lease that new events get, and the subscriptions that have no capacity. Null leases nothing. */
function offerLease(sender: Sender): { until: Date; except: string[] } | null {
  if (sender.state !== 'running' || !canSendMore(sender)) return null;
  return { until: new Date(leaseEnd(sender, sender.deps.clock.ms())), except: fullQueues(sender.queues) };
}

/** Called after the commit: sends the leased events. True when the first attempt started in this call. */
function acceptLeased(sender: Sender, rows: LeasedRow[], events: readonly StoredEvent[]): boolean {
  if (rows.length === 0) return false;
  const { queues } = sender;
  const was_idle = queues.in_flight === 0;
  const by_id = new Map(events.map((event) => [event.id, event]));
  const by_subscribers = Map.groupBy(events, subscribersKey);
  for (const { event_id, subscription_ids, held_until } of rows) {
    if (subscription_ids === null) continue;
    const ids = subscription_ids.split(',');
    const leased = by_subscribers.get(subscribersKey(by_id.get(event_id)!))!;
    const lease: OwnLease = {
      id: event_id,
      held_until: new Date(held_until).toISOString(),
      lease_until: held_until,
      unstored: leased.length * ids.length,
    };
    const queued = leased.map((event) => queuedEvent(event, lease));
    for (const subscription_id of ids) enqueue(queues, subscription_id, queued);
  }
  sendSoon(sender);
  return was_idle && queues.in_flight > 0;
}

/** Events with the same key go to the same subscriptions. */
const subscribersKey = ({ organization_id, type, source_id }: StoredEvent) =>
  `${organization_id} ${type} ${source_id}`;

const queuedEvent = (event: StoredEvent, lease: OwnLease): QueuedEvent => ({
  lease,
  event_id: event.id,
  organization_id: event.organization_id,
  event_type: event.type,
  created_at: event.created_at,
  source_name: event.source_name,
  body: Buffer.from(event.payload),
  traceparent: event.traceparent ?? null,
});

/** Sends everything that is due, and returns when all results are stored. */
async function drain(sender: Sender): Promise<void> {
  for (;;) {
    await whenIdle(sender);
    await flushResults(sender.results);
    if (sender.polling) await sender.polling;
    const has_claimed = await poll(sender);
    if (!has_claimed && isIdle(sender.queues)) return flushResults(sender.results);
  }
}

/** Releases what was not sent, and waits a short time for the attempts in flight. */
async function stop(sender: Sender, abort?: AbortSignal): Promise<void> {
  const { deps } = sender;
  if (sender.state === 'stopped') return;
  sender.state = 'stopped';
  clearTimeout(sender.poll_timer);
  await sender.polling;
  release(sender, removeQueued(sender.queues).map(toDelivery));
  await flushResults(sender.results, AbortSignal.timeout(stop_flush_ms));
  await storeLastReleases(sender);
  const abortAttempts = () => void deps.abortAttempts();
  const grace = setTimeout(abortAttempts, abort?.aborted ? 0 : (deps.stop_grace_ms ?? stop_grace_ms));
  abort?.addEventListener('abort', abortAttempts, { once: true });
  await whenIdle(sender);
  clearTimeout(grace);
  abort?.removeEventListener('abort', abortAttempts);
  await deps.abortAttempts();
  await flushResults(sender.results, AbortSignal.timeout(stop_flush_ms));
  await storeLastReleases(sender);
}

/** Not repeated: the leases end, and then other processes claim the deliveries. */
const storeLastReleases = (sender: Sender): Promise<void> =>
  storeReleases(sender).catch((error) =>
    sender.deps.log.warn({ err: error }, 'releasing webhook deliveries failed: their claims count as lost'),
  );

async function whenIdle({ queues, idle_callbacks }: Sender): Promise<void> {
  if (isIdle(queues)) return;
  await new Promise<void>((resolve) => {
    const onIdle = () => {
      idle_callbacks.delete(onIdle);
      resolve();
    };
    idle_callbacks.add(onIdle);
  });
}
