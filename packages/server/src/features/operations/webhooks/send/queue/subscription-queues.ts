// Shares the sending capacity fairly: each subscription has its own queue, and a subscription whose receiver fails or is
// slow may have fewer attempts in flight.

export type QueueLimits = {
  /**
   * Recent attempts in flight over all queues: more would only wait inside of this process. Unproven queues may use half
   * of this limit and half of `max_in_flight`, so that proven queues always have the other half.
   */
  max_recent: number;
  /** Attempts in flight over all queues, including those that take long. */
  max_in_flight: number;
  /** Attempts that a new queue may have in flight. Successes raise its limit, failures lower it. */
  concurrency_start: number;
  concurrency_max: number;
  max_queued: number;
  /** Items that one unproven queue may hold. */
  max_queued_unproven: number;
};

type SubscriptionQueue<T> = {
  subscription_id: string;
  items: T[];
  /** Index of the first item that was not taken yet. */
  head: number;
  in_flight: number;
  /** Attempts that it may have in flight. */
  concurrency: number;
  /** Its last attempt succeeded. */
  is_proven: boolean;
};

export type InFlight<T> = {
  subscription_id: string;
  item: T;
  was_proven: boolean;
  started_ms: number;
};

/** `fast` and `slow` are successes; `no_result` says nothing about the receiver. */
export type AttemptEnd = 'fast' | 'slow' | 'failed' | 'no_result';

export type SubscriptionQueues<T> = {
  readonly limits: QueueLimits;
  readonly by_id: Map<string, SubscriptionQueue<T>>;
  /** Queues that may send, in the order of their turns. */
  readonly ready_proven: Set<SubscriptionQueue<T>>;
  readonly ready_unproven: Set<SubscriptionQueue<T>>;
  /** Attempts in flight that are not known to be slow, oldest first. */
  readonly recent: Set<InFlight<T>>;
  queued: number;
  in_flight: number;
  unproven_in_flight: number;
  unproven_recent: number;
  /** Proven and unproven queues alternate while both may send. */
  next_turn: 'proven' | 'unproven';
};

/** Above this number, a queue without items is removed after its last attempt. */
const max_idle_queues = 10_000;

export const createQueues = <T>(limits: QueueLimits): SubscriptionQueues<T> => ({
  limits,
  by_id: new Map(),
  ready_proven: new Set(),
  ready_unproven: new Set(),
  recent: new Set(),
  queued: 0,
  in_flight: 0,
  unproven_in_flight: 0,
  unproven_recent: 0,
  next_turn: 'unproven',
});

export function enqueue<T>(
  queues: SubscriptionQueues<T>,
  subscription_id: string,
  items: readonly T[],
): void {
  let queue = queues.by_id.get(subscription_id);
  if (!queue) {
    queue = newQueue(subscription_id, queues.limits.concurrency_start);
    queues.by_id.set(subscription_id, queue);
  }
  for (const item of items) queue.items.push(item);
  queues.queued += items.length;
  if (!queues.ready_proven.has(queue) && !queues.ready_unproven.has(queue)) scheduleTurn(queues, queue);
}

/** Returns the next item to send, one queue after the other; null when nothing may be sent now. */
export function takeNext<T>(queues: SubscriptionQueues<T>, now_ms: number): InFlight<T> | null {
  const queue = nextQueue(queues);
  if (!queue) return null;
  const item = shift(queues, queue);
  queue.in_flight++;
  queues.in_flight++;
  if (!queue.is_proven) {
    queues.unproven_in_flight++;
    queues.unproven_recent++;
  }
  scheduleTurn(queues, queue);
  const next_batch = {
    subscription_id: queue.subscription_id,
    item,
    was_proven: queue.is_proven,
    started_ms: now_ms,
  };
  queues.recent.add(next_batch);
  return next_batch;
}

export function finish<T>(queues: SubscriptionQueues<T>, attempt: InFlight<T>, end: AttemptEnd): void {
  const { concurrency_start, concurrency_max } = queues.limits;
  const queue = queues.by_id.get(attempt.subscription_id)!;
  queue.in_flight--;
  queues.in_flight--;
  removeRecent(queues, attempt);
  if (!attempt.was_proven) queues.unproven_in_flight--;
  if (end === 'fast') queue.concurrency = Math.min(concurrency_max, queue.concurrency + 1);
  if (end === 'slow') queue.concurrency = Math.min(concurrency_start, queue.concurrency + 1);
  if (end === 'failed') queue.concurrency = Math.max(1, Math.floor(queue.concurrency / 2));
  if (end !== 'no_result') queue.is_proven = end !== 'failed';
  if (queues.by_id.size > max_idle_queues && queue.in_flight === 0 && lengthOf(queue) === 0) {
    queues.by_id.delete(queue.subscription_id);
  }
  // A queue that already waits for its turn keeps its position, unless it became proven or unproven.
  const ready = queue.is_proven ? queues.ready_proven : queues.ready_unproven;
  if (!ready.has(queue)) scheduleTurn(queues, queue);
}

/**
 * Attempts that started before this time wait for their receiver, not for this process: they no longer count against
 * `max_recent`, so other attempts may start. Returns true when there were any.
 */
export function expireRecent<T>(queues: SubscriptionQueues<T>, before_ms: number): boolean {
  const size = queues.recent.size;
  for (const attempt of queues.recent) {
    if (attempt.started_ms > before_ms) break;
    removeRecent(queues, attempt);
  }
  return queues.recent.size < size;
}

/** Removes and returns the items that were not taken, of one subscription or of all. */
export function removeQueued<T>(
  queues: SubscriptionQueues<T>,
  subscription_id?: string,
): { subscription_id: string; item: T }[] {
  const selected =
    subscription_id === undefined
      ? [...queues.by_id.values()]
      : [queues.by_id.get(subscription_id)].filter((queue) => queue !== undefined);
  return selected.flatMap((queue) => {
    const items = queue.items.slice(queue.head);
    queues.queued -= items.length;
    queue.items = [];
    queue.head = 0;
    scheduleTurn(queues, queue);
    return items.map((item) => ({ subscription_id: queue.subscription_id, item }));
  });
}

/** Removes and returns the oldest items of each queue, as long as they are late. */
export function removeLate<T>(
  queues: SubscriptionQueues<T>,
  isLate: (item: T) => boolean,
): { subscription_id: string; item: T }[] {
  const late: { subscription_id: string; item: T }[] = [];
  for (const queue of queues.by_id.values()) {
    const before = late.length;
    while (lengthOf(queue) > 0 && isLate(queue.items[queue.head]!))
      late.push({ subscription_id: queue.subscription_id, item: shift(queues, queue) });
    // A queue that has more keeps its turn.
    if (late.length > before && lengthOf(queue) === 0) scheduleTurn(queues, queue);
  }
  return late;
}

/** How many deliveries to claim for a subscription: enough to keep it busy, and the rest stays for other processes. */
export function claimCapacity<T>(queues: SubscriptionQueues<T>, subscription_id: string): number {
  const { concurrency_start, max_queued } = queues.limits;
  const queue = queues.by_id.get(subscription_id);
  if (!queue) return Math.max(0, Math.min(concurrency_start * 4, max_queued - queues.queued));
  return Math.max(0, Math.min(freeSpace(queues, queue), queue.concurrency * 4 - lengthOf(queue)));
}

/** Subscriptions whose queue accepts no more items at the moment. */
export function fullQueues<T>(queues: SubscriptionQueues<T>): string[] {
  if (queues.queued < queues.limits.max_queued_unproven) return [];
  return [...queues.by_id.values()]
    .filter((queue) => freeSpace(queues, queue) <= 0)
    .map((queue) => queue.subscription_id);
}

export function isRunningLow<T>(queues: SubscriptionQueues<T>, subscription_id: string): boolean {
  const queue = queues.by_id.get(subscription_id);
  return !queue || lengthOf(queue) < queue.concurrency;
}

export const isIdle = <T>(queues: SubscriptionQueues<T>): boolean =>
  queues.in_flight === 0 && queues.queued === 0;

const newQueue = <T>(subscription_id: string, concurrency: number): SubscriptionQueue<T> => ({
  subscription_id,
  items: [],
  head: 0,
  in_flight: 0,
  concurrency,
  is_proven: false,
});

const lengthOf = <T>(queue: SubscriptionQueue<T>) => queue.items.length - queue.head;

/** Puts the queue at the end of the line of those that may send, or takes it out when it may not. */
function scheduleTurn<T>(queues: SubscriptionQueues<T>, queue: SubscriptionQueue<T>): void {
  queues.ready_proven.delete(queue);
  queues.ready_unproven.delete(queue);
  if (lengthOf(queue) === 0 || queue.in_flight >= queue.concurrency) return;
  (queue.is_proven ? queues.ready_proven : queues.ready_unproven).add(queue);
}

function nextQueue<T>(queues: SubscriptionQueues<T>): SubscriptionQueue<T> | null {
  const { max_in_flight, max_recent } = queues.limits;
  if (queues.in_flight >= max_in_flight || queues.recent.size >= max_recent) return null;
  const proven = first(queues.ready_proven);
  const allows_unproven =
    queues.unproven_in_flight < max_in_flight / 2 && queues.unproven_recent < max_recent / 2;
  const unproven = allows_unproven ? first(queues.ready_unproven) : null;
  if (!proven || !unproven) return proven ?? unproven;
  const turn = queues.next_turn;
  queues.next_turn = turn === 'proven' ? 'unproven' : 'proven';
  return turn === 'proven' ? proven : unproven;
}

function shift<T>(queues: SubscriptionQueues<T>, queue: SubscriptionQueue<T>): T {
  const item = queue.items[queue.head++]!;
  queues.queued--;
  // Array.shift() moves every item. Cutting off the used part now and then is cheaper.
  if (queue.head > 1000 || queue.head === queue.items.length) {
    queue.items = queue.items.slice(queue.head);
    queue.head = 0;
  }
  return item;
}

function removeRecent<T>(queues: SubscriptionQueues<T>, attempt: InFlight<T>): void {
  if (!queues.recent.delete(attempt)) return;
  if (!attempt.was_proven) queues.unproven_recent--;
}

const freeSpace = <T>(queues: SubscriptionQueues<T>, queue: SubscriptionQueue<T>): number =>
  Math.min(
    queues.limits.max_queued - queues.queued,
    (queue.is_proven ? queues.limits.max_queued : queues.limits.max_queued_unproven) - lengthOf(queue),
  );

const first = <T>(set: Set<T>): T | null => {
  for (const value of set) return value;
  return null;
};
