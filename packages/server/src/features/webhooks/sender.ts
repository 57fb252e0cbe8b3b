// Sends deliveries: those just made in this process at once, those that are due or were left behind by claiming them.
import type { Clock } from '../../platform/clock.ts';
import type { Row } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import type { AttemptResult } from '../../platform/metrics.ts';
import type { StoredEvent } from '../../platform/outbox.ts';
import type { Attempt, Attempter, Message } from './attempt.ts';
import { completionWriter } from './completions.ts';
import type { Claim, ClaimedDelivery, Completion, DeliveryQueueStore } from './delivery-queue-store.ts';
import {
  deliveryId,
  type FirstEnd,
  type HandedEvents,
  type HandOff,
  type HandOffStore,
  type HeldEvent,
} from './lease-store.ts';
import type { recipientCache } from './recipients.ts';
import { afterAttempt, ladder_start, type Standing } from './retry-ladder.ts';
import { type Flight, type FlightEnd, type LaneLimits, makeLanes } from './subscription-queues.ts';

/** With how many of its deliveries are not written down. */
type OwnHandOff = HandOff & { lease_until: number; left: number };
type Held = HeldEvent & { hand_off: OwnHandOff; source_name: string | null; body: Buffer };
/** Held with its event for its first attempt; later ones were claimed. */
type Delivery = Claim & Standing & Message & { lease_until: number; held: Held | null };
/** A lane lines up the event itself: made only when its turn comes, a delivery does not live to burden the collector. */
type Queued = Held | Delivery;
/** Without an attempt it goes back to the others. */
type End = { delivery: Delivery; attempt: Attempt | null; is_written: boolean };

const lane_limits: LaneLimits = {
  max_prompt: 128,
  max_in_flight: 1024,
  lane_start: 4,
  lane_max: 64,
  max_queued: 50_000,
  max_queued_in_doubt: 1000,
};
/** Beyond the time of an attempt: how long a delivery may wait in this process before another may take it. */
const lease_margin_ms = 15_000;
const poll_ms = 250;
/** An attempt that takes longer waits for its receiver, not for us: others may begin beside it. */
const prompt_ms = 50;
/** A receiver that takes longer gets no more deliveries at a time than a new one. */
const slow_ms = 1000;
/** With so many results unwritten the database is away: sending more would only lengthen what a crash repeats. */
const max_unwritten = 5000;

export function webhookSender(deps: {
  store: DeliveryQueueStore;
  hand_offs: HandOffStore;
  recipients: ReturnType<typeof recipientCache>;
  attempt: Attempter;
  clock: Clock;
  log: Log;
  countAttempt(result: AttemptResult): void;
  timeout_ms: number;
  /** Ends what is under way when waiting for it would take too long. */
  cutOff(): Promise<void>;
  stop_grace_ms?: number;
}) {
  const { store, hand_offs, recipients, attempt, clock, log, timeout_ms } = deps;
  const lanes = makeLanes<Queued>(lane_limits);
  const lease_ms = timeout_ms + lease_margin_ms;
  const completions = completionWriter<End>({ write, written: () => pump(), log });
  /** Subscriptions known to have more in the database than their lane could take. */
  const behind = new Set<string>();
  const idle = new Set<() => void>();
  let state: 'idle' | 'running' | 'stopped' = 'idle';
  let timer: NodeJS.Timeout | undefined;
  let is_overtaking = false;
  let more: NodeJS.Immediate | null = null;
  let polling: Promise<boolean> | null = null;
  let given_back: Claim[] = [];

  const completionOf = (delivery: Delivery, made: Attempt): Completion => {
    const outcome = outcomeOf(delivery, made);
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
      died: outcome.died,
      attempt: made.record,
    };
  };

  const firstEndOf = ({ delivery, attempt: made }: End): FirstEnd => {
    const outcome = made && outcomeOf(delivery, made);
    return {
      held: delivery.held!,
      id: delivery.id,
      subscription_id: delivery.subscription_id,
      status: outcome?.status ?? 'pending',
      ladder_left: outcome?.ladder_left ?? delivery.ladder_left,
      first_attempt_at: outcome?.first_attempt_at ?? null,
      due_at: outcome?.due_at ?? null,
      attempt: made?.record ?? null,
    };
  };

  // A batch of which only a part could be written comes again whole.
  async function write(batch: End[]): Promise<void> {
    const now = clock.now();
    const first = batch.filter(({ delivery, is_written }) => delivery.held && !is_written);
    if (first.length > 0) {
      const counts = new Map<OwnHandOff, number>();
      for (const { delivery } of first) {
        const { hand_off } = delivery.held!;
        counts.set(hand_off, (counts.get(hand_off) ?? 0) + 1);
      }
      const done = [...counts].flatMap(([hand_off, count]) => (count === hand_off.left ? [hand_off] : []));
      await hand_offs.end(first.map(firstEndOf), done, now);
      for (const [hand_off, count] of counts) hand_off.left -= count;
      for (const end of first) end.is_written = true;
    }
    const later = batch.flatMap(({ delivery, attempt: made }) =>
      made && !delivery.held ? [completionOf(delivery, made)] : [],
    );
    if (later.length > 0) await store.complete(later, now);
  }

  const giveUp = (deliveries: readonly Delivery[]) => {
    for (const delivery of deliveries) {
      if (delivery.held) completions.add({ delivery, attempt: null, is_written: false });
      else given_back.push(delivery);
    }
  };

  const send = async (flight: Flight<Queued>) => {
    const delivery = deliveryOf(flight);
    // Waited here too long: by the end of this attempt another process may have it.
    if (clock.ms() + timeout_ms > delivery.lease_until) return lanes.done(flight, 'cut');
    try {
      const found = recipients.find(delivery.subscription_id);
      const recipient = found instanceof Promise ? await found : found;
      if (!recipient || !(recipient.is_active || delivery.is_manual)) {
        if (recipient) giveUp([delivery, ...lanes.empty(delivery.subscription_id).map(deliveryOf)]);
        return lanes.done(flight, 'cut');
      }
      const made = await attempt(delivery, recipient);
      if (made) {
        deps.countAttempt(resultOf(delivery, made));
        completions.add({ delivery, attempt: made, is_written: false });
      } else giveUp([delivery]);
      lanes.done(flight, made ? endOf(made.record) : 'cut');
    } catch (error) {
      // The subscription could not be read: the lease ends, and the delivery is found again.
      log.warn({ err: error, delivery_id: delivery.id }, 'a webhook delivery could not be prepared');
      lanes.done(flight, 'cut');
    }
  };

  const sendMore = () => {
    more = null;
    while (completions.count() < max_unwritten) {
      const flight = lanes.take(performance.now());
      if (!flight) break;
      void send(flight).then(() => {
        if (behind.has(flight.lane_id) && lanes.isLow(flight.lane_id)) wake();
        pump();
      });
    }
    // Only where something waits behind the slow ones do they have to be told apart.
    if (!is_overtaking && lanes.queued() > 0 && lanes.inFlight() > 0) {
      is_overtaking = true;
      setTimeout(overtake, prompt_ms / 2);
    }
    if (lanes.inFlight() === 0 && lanes.queued() === 0) for (const resolve of idle) resolve();
  };

  /**
   * A connection is free again after its answer, at the end of this turn of the event loop. Who asks for one before gets
   * another: twice as many would be held, each half as warm.
   */
  function pump() {
    if (more) clearImmediate(more);
    else if (lanes.inFlight() === 0) return sendMore();
    more = setImmediate(sendMore);
  }

  function overtake() {
    is_overtaking = false;
    lanes.overtake(performance.now() - prompt_ms);
    pump();
  }

  const takeIn = (claimed: ClaimedDelivery[], lease_until: number) => {
    for (const { payload, ...row } of claimed) {
      lanes.add(row.subscription_id, [{ ...row, body: Buffer.from(payload), lease_until, held: null }]);
    }
    pump();
  };

  /** Claims what is due as far as there is room; true when something was claimed. */
  const claimDue = async (): Promise<boolean> => {
    if (completions.count() >= max_unwritten) return false;
    const now = clock.now();
    let due = await store.due(now);
    if (due.has_left_behind) {
      while (!(await hand_offs.takeOver(now)));
      due = await store.due(now);
    }
    behind.clear();
    const wanted = due.subscription_ids.flatMap((subscription_id) => {
      const room = lanes.room(subscription_id);
      if (room === 0) behind.add(subscription_id);
      return room > 0 ? [{ subscription_id, room }] : [];
    });
    next_at = due.next_at?.getTime() ?? null;
    if (wanted.length === 0 && !due.has_manual) return false;
    const until = new Date(now.getTime() + lease_ms);
    const claimed = await store.claim(wanted, { now, until });
    const rooms = new Map(wanted.map(({ subscription_id, room }) => [subscription_id, room]));
    for (const row of claimed) {
      const left = (rooms.get(row.subscription_id) ?? 0) - 1;
      rooms.set(row.subscription_id, left);
      if (left <= 0) behind.add(row.subscription_id);
    }
    takeIn(claimed, until.getTime());
    return claimed.length > 0;
  };
  let next_at: number | null = null;

  const giveBack = async () => {
    const claims = given_back;
    given_back = [];
    if (claims.length > 0) await store.giveBack(claims, clock.now());
  };

  const poll = (): Promise<boolean> => {
    polling ??= giveBack()
      .then(claimDue)
      .catch((error) => {
        log.warn({ err: error }, 'due webhook deliveries cannot be read; trying again');
        return false;
      })
      .finally(() => {
        polling = null;
        if (state === 'running') plan(next_at === null ? poll_ms : next_at - clock.ms());
      });
    return polling;
  };

  const plan = (delay_ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(poll, Math.max(5, Math.min(delay_ms, poll_ms)));
  };

  function wake() {
    if (state === 'running' && !polling) plan(0);
  }

  const whenIdle = async () => {
    if (lanes.inFlight() === 0 && lanes.queued() === 0) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        idle.delete(done);
        resolve();
      };
      idle.add(done);
    });
  };

  return {
    /** For the outbox: deliveries made now belong to this process, as far as it has room. */
    lease: () =>
      state === 'running' && completions.count() < max_unwritten
        ? { until: new Date(clock.ms() + lease_ms), except: lanes.full() }
        : null,

    /** After the commit: sends at once what was handed to this process; true where nothing was before it. */
    accept(rows: Row[], events: readonly StoredEvent[]): boolean {
      if (rows.length === 0) return false;
      const was_idle = lanes.inFlight() === 0;
      const found = new Map(events.map((event) => [event.id, event]));
      const alike = Map.groupBy(events, subscribersKey);
      for (const { event_id, subscription_ids, held_until } of rows as HandedEvents[]) {
        if (subscription_ids === null) continue;
        const ids = subscription_ids.split(',');
        const handed = alike.get(subscribersKey(found.get(event_id)!))!;
        const hand_off: OwnHandOff = {
          id: event_id,
          held_until: new Date(held_until).toISOString(),
          lease_until: held_until,
          left: handed.length * ids.length,
        };
        const held = handed.map(
          ({ id, organization_id, type, created_at, source_name, payload }): Held => ({
            hand_off,
            event_id: id,
            organization_id,
            event_type: type,
            created_at,
            source_name,
            body: Buffer.from(payload),
          }),
        );
        for (const subscription_id of ids) lanes.add(subscription_id, held);
      }
      pump();
      return was_idle && lanes.inFlight() > 0;
    },

    wake,

    start(): void {
      state = 'running';
      plan(0);
    },

    /** When the next delivery may be claimed. */
    async nextDue(): Promise<Date | null> {
      const due = await store.due(clock.now());
      return due.subscription_ids.length > 0 || due.has_manual ? clock.now() : due.next_at;
    },

    /** Does everything that is due, and comes back when it is done and written down. */
    async drain(): Promise<void> {
      for (;;) {
        await whenIdle();
        await completions.flush();
        if (polling) await polling;
        const claimed = await poll();
        if (!claimed && lanes.inFlight() === 0 && lanes.queued() === 0) return completions.flush();
      }
    },

    /** Gives back what was not sent, and waits a little for what was. */
    async stop(cut?: AbortSignal): Promise<void> {
      if (state === 'stopped') return;
      state = 'stopped';
      clearTimeout(timer);
      await polling;
      giveUp(lanes.empty().map(deliveryOf));
      await completions.flush(AbortSignal.timeout(2000));
      await giveBack().catch((error) => log.warn({ err: error }, 'webhook deliveries not given back'));
      const cutOff = () => void deps.cutOff();
      const grace = setTimeout(cutOff, cut?.aborted ? 0 : (deps.stop_grace_ms ?? 5000));
      cut?.addEventListener('abort', cutOff, { once: true });
      await whenIdle();
      clearTimeout(grace);
      cut?.removeEventListener('abort', cutOff);
      await deps.cutOff();
      await completions.flush(AbortSignal.timeout(2000));
      await giveBack().catch(() => {});
    },
  };
}
export type WebhookSender = ReturnType<typeof webhookSender>;

/** Events for which it is the same have the same subscribers. */
const subscribersKey = ({ organization_id, type, source_id }: StoredEvent) =>
  `${organization_id} ${type} ${source_id}`;

function deliveryOf({ lane_id, item }: { lane_id: string; item: Queued }): Delivery {
  if (!('hand_off' in item)) return item;
  return {
    id: deliveryId(item.event_id, lane_id),
    claim_no: 1,
    subscription_id: lane_id,
    event_type: item.event_type,
    source_name: item.source_name,
    status: 'pending',
    ladder_left: ladder_start,
    first_attempt_at: null,
    is_manual: false,
    body: item.body,
    lease_until: item.hand_off.lease_until,
    held: item,
  };
}

const outcomeOf = (delivery: Standing, { started_ms, record }: Attempt) =>
  afterAttempt(delivery, { ok: record.error === null, attempted_at: started_ms });

const resultOf = (delivery: Standing, made: Attempt): AttemptResult => {
  if (made.record.error === null) return 'delivered';
  return outcomeOf(delivery, made).due_at === null ? 'failed' : 'retrying';
};

const endOf = ({ error, duration_ms }: Attempt['record']): FlightEnd =>
  error ? 'failed' : duration_ms > slow_ms ? 'slow' : 'fast';
