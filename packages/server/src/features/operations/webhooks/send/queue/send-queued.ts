// Takes deliveries from the subscription queues and makes their attempts.
import { type Delivery, endOf, type Queued, resultOf, toDelivery } from '../delivery.ts';
import { addResult } from '../results/result-writer.ts';
import { canSendMore, isTooLate, type Sender } from '../sender-state.ts';
import {
  expireRecent,
  finish,
  type InFlight,
  isIdle,
  isRunningLow,
  removeLate,
  removeQueued,
  takeNext,
} from './subscription-queues.ts';

/** An attempt that takes longer waits for its receiver, not for this process: others may start beside it. */
const recent_ms = 50;

/**
 * Sends what may be sent. Undici frees a connection at the end of the event loop turn in which its response ended. A
 * request before that opens another connection, and twice as many would stay open. So, while attempts are in flight,
 * wait for the next turn.
 */
export function sendSoon(sender: Sender): void {
  if (!sender.scheduled_send && sender.queues.in_flight === 0) {
    sendQueued(sender);
    return;
  }
  if (sender.scheduled_send) clearImmediate(sender.scheduled_send);
  sender.scheduled_send = setImmediate(sendQueued, sender);
}

/** Makes deliveries that were not sent claimable for any process, by default at once. */
export function release(
  sender: Sender,
  deliveries: readonly Delivery[],
  claimable_ms = sender.deps.clock.ms(),
): void {
  for (const delivery of deliveries) {
    if (delivery.event) addResult(sender.results, { delivery, attempt: null, is_stored: false });
    else sender.released.push({ claim: delivery, claimable_ms });
  }
}

/** Releases claims at the end of their leases; the deliveries of an event lease are taken over then. */
export function releaseAtLeaseEnd(sender: Sender, delivery: Delivery): void {
  if (!delivery.event) release(sender, [delivery], delivery.lease_until);
}

/** What waits here for so long that it cannot be sent any more, behind a slow receiver. */
export function releaseLate(sender: Sender): void {
  const late = removeLate(sender.queues, (item) =>
    isTooLate(sender, 'lease' in item ? item.lease.lease_until : item.lease_until),
  );
  for (const each of late) if (!('lease' in each.item)) releaseAtLeaseEnd(sender, each.item);
  if (late.length > 0) sendSoon(sender);
}

function sendQueued(sender: Sender): void {
  const { queues } = sender;
  sender.scheduled_send = null;
  while (canSendMore(sender)) {
    const next_deliveries = takeNext(queues, performance.now());
    if (!next_deliveries) break;
    void send(sender, next_deliveries).then(() => afterSend(sender, next_deliveries.subscription_id));
  }
  // Slow attempts have to be found only while other deliveries wait behind them.
  if (!sender.slow_check_timer && queues.queued > 0 && queues.in_flight > 0) {
    sender.slow_check_timer = setTimeout(expireSlow, recent_ms / 2, sender);
  }
  if (isIdle(queues)) for (const callback of sender.idle_callbacks) callback();
}

function afterSend(sender: Sender, subscription_id: string): void {
  if (sender.backlogged.has(subscription_id) && isRunningLow(sender.queues, subscription_id))
    sender.onQueueLow();
  sendSoon(sender);
}

function expireSlow(sender: Sender): void {
  sender.slow_check_timer = null;
  expireRecent(sender.queues, performance.now() - recent_ms);
  sendSoon(sender);
}

async function send(sender: Sender, taken: InFlight<Queued>): Promise<void> {
  const { deps, queues } = sender;
  const delivery = toDelivery(taken);
  // It waited here too long: the lease would expire during this attempt, and another process may claim it.
  if (isTooLate(sender, delivery.lease_until)) {
    releaseAtLeaseEnd(sender, delivery);
    return finish(queues, taken, 'no_result');
  }
  try {
    const found = deps.recipients.find(delivery.subscription_id);
    const recipient = found instanceof Promise ? await found : found;
    if (!recipient || !(recipient.is_active || delivery.is_manual)) {
      if (recipient)
        release(sender, [delivery, ...removeQueued(queues, delivery.subscription_id).map(toDelivery)]);
      else releaseAtLeaseEnd(sender, delivery);
      return finish(queues, taken, 'no_result');
    }
    const attempt = await deps.attempt(delivery, recipient);
    if (attempt) {
      deps.countAttempt(resultOf(delivery, attempt));
      addResult(sender.results, { delivery, attempt, is_stored: false });
    } else release(sender, [delivery]);
    finish(queues, taken, attempt ? endOf(attempt.record) : 'no_result');
  } catch (error) {
    // The subscription could not be read. After the lease the delivery is claimed again.
    releaseAtLeaseEnd(sender, delivery);
    deps.log.warn({ err: error, delivery_id: delivery.id }, 'preparing a webhook delivery failed');
    finish(queues, taken, 'no_result');
  }
}
