// Polls the database for due deliveries, and claims as many as the queues of this process can take.
import { claimDue, type Due, findDue, releaseClaims } from './claim-store.ts';
import { takeOverExpired } from './lease-store.ts';
import { sendSoon } from './send-queued.ts';
import { canSendMore, leaseEnd, type Sender } from './sender-state.ts';
import { claimCapacity, enqueue } from './subscription-queues.ts';

const default_poll_ms = 250;
const min_poll_ms = 5;

/** Runs one poll, or joins the current one. Resolves to true when it claimed something. */
export function poll(sender: Sender): Promise<boolean> {
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
  const claims = sender.released;
  sender.released = [];
  if (claims.length > 0) await releaseClaims(sender.deps.db, claims, sender.deps.clock.now());
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
  const lease_until = leaseEnd(sender, now.getTime());
  const claimed = await claimDue(deps.db, requests, { now, until: new Date(lease_until) });
  const capacity_left = new Map(requests.map((each) => [each.subscription_id, each.capacity]));
  for (const { payload, ...row } of claimed) {
    const left = (capacity_left.get(row.subscription_id) ?? 0) - 1;
    capacity_left.set(row.subscription_id, left);
    // The claim was filled completely, so there may be more deliveries.
    if (left <= 0) backlogged.add(row.subscription_id);
    enqueue(queues, row.subscription_id, [{ ...row, body: Buffer.from(payload), lease_until, event: null }]);
  }
  sendSoon(sender);
  return claimed.length > 0;
}

async function findDueNow({ deps }: Sender, now: Date): Promise<Due> {
  const due = await findDue(deps.db, now);
  if (!due.has_expired_lease) return due;
  while (!(await takeOverExpired(deps.db, now)));
  return findDue(deps.db, now);
}
