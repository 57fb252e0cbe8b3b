// Polls the database for due deliveries, and claims as many as the queues of this process can take.

import type { Delivery } from '../delivery.ts';
import { canSendMore, endAlone, leaseEnd, type Sender } from '../sender-state.ts';
import { setDeliveryAside } from '../set-delivery-aside.ts';
import {
  type ClaimedDelivery,
  claimDue,
  type Due,
  findDue,
  isLost,
  releaseClaims,
  runsAlone,
} from './claim-store.ts';
import { takeOverExpired } from './lease-store.ts';
import { releaseLate, sendSoon } from './send-queued.ts';
import { claimCapacity, enqueue } from './subscription-queues.ts';

const default_poll_ms = 250;
const min_poll_ms = 5;
/** When a delivery that must run alone asks for its turn again. */
const next_turn_ms = 5000;

/** Runs one poll, or joins the current one. Resolves to true when it claimed something. */
export function poll(sender: Sender): Promise<boolean> {
  releaseLate(sender);
  sender.polling ??= storeReleases(sender)
    .then(() => claim(sender))
    .catch((error) => {
      sender.deps.log.warn({ err: error }, 'reading due webhook deliveries failed, retrying');
      // Read before the failure: when it has passed, every poll would be due at once.
      sender.next_due_ms = null;
      return false;
    })
    .finally(() => {
      sender.polling = null;
      if (sender.state !== 'running') return;
      schedulePoll(
        sender,
        sender.next_due_ms === null ? pollMs(sender) : sender.next_due_ms - sender.deps.clock.ms(),
      );
    });
  return sender.polling;
}

const pollMs = ({ deps }: Sender) => deps.poll_ms ?? default_poll_ms;

export function schedulePoll(sender: Sender, delay_ms: number): void {
  clearTimeout(sender.poll_timer);
  sender.poll_timer = setTimeout(poll, Math.max(min_poll_ms, Math.min(delay_ms, pollMs(sender))), sender);
}

/** Polls now instead of at the next planned time. */
export function wakePoll(sender: Sender): void {
  if (sender.state === 'running' && !sender.polling) schedulePoll(sender, 0);
}

export async function storeReleases(sender: Sender): Promise<void> {
  const releases = sender.released;
  if (releases.length === 0) return;
  sender.released = [];
  try {
    await releaseClaims(sender.deps.db, releases);
  } catch (error) {
    sender.released = [...releases, ...sender.released];
    throw error;
  }
  endAlone(sender, (alone) => releases.some(({ claim }) => claim === alone));
}

async function claim(sender: Sender): Promise<boolean> {
  const { deps, queues, backlogged } = sender;
  if (!canSendMore(sender)) return false;
  const now = deps.clock.now();
  const due = await findDueNow(sender, now);
  backlogged.clear();
  const requests = due.subscription_ids.flatMap((subscription_id) => {
    const capacity = claimCapacity(queues, subscription_id);
    if (capacity === 0) backlogged.add(subscription_id);
    return capacity > 0 ? [{ subscription_id, capacity }] : [];
  });
  sender.next_due_ms = due.next_at?.getTime() ?? null;
  if (requests.length === 0 && !due.has_manual) return false;
  const claimed = await claimAndQueue(sender, requests);
  sendSoon(sender);
  // After the others, so that an error here does not cost them their claims.
  for (const row of claimed) if (isLost(row)) await setDeliveryAside(deps, row);
  return claimed.length > 0;
}

/** At most one of them runs alone. It keeps other such work of this process out until its end is stored. */
async function claimAndQueue(
  sender: Sender,
  requests: readonly { subscription_id: string; capacity: number }[],
): Promise<ClaimedDelivery[]> {
  const { deps, queues, backlogged } = sender;
  const now_ms = deps.clock.ms();
  const lease_until = leaseEnd(sender, now_ms);
  const with_lost = deps.solo.tryEnter();
  try {
    const claimed = await claimDue(deps.db, requests, {
      now: new Date(now_ms),
      until: new Date(lease_until),
      with_lost,
      next_turn: new Date(now_ms + next_turn_ms),
    });
    const capacity_left = new Map(requests.map((each) => [each.subscription_id, each.capacity]));
    for (const row of claimed) {
      const { subscription_id } = row;
      const left = (capacity_left.get(subscription_id) ?? 0) - 1;
      capacity_left.set(subscription_id, left);
      // The claim was filled completely, so there may be more deliveries.
      if (left <= 0) backlogged.add(subscription_id);
      if (!isLost(row)) enqueue(queues, subscription_id, [queuedClaim(sender, row, lease_until)]);
    }
    return claimed;
  } finally {
    if (with_lost && !sender.alone) deps.solo.leave();
  }
}

function queuedClaim(sender: Sender, row: ClaimedDelivery, lease_until: number): Delivery {
  const { payload, ...claim } = row;
  const delivery = { ...claim, body: Buffer.from(payload), lease_until, event: null };
  if (runsAlone(row)) sender.alone = delivery;
  return delivery;
}

async function findDueNow({ deps }: Sender, now: Date): Promise<Due> {
  const due = await findDue(deps.db, now);
  if (!due.has_expired_lease) return due;
  while (!(await takeOverExpired(deps.db, now)));
  return findDue(deps.db, now);
}
