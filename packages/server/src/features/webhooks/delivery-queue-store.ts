// The SQL of the sender: claiming deliveries that are due, and writing down how they went. It works for all
// organizations at once, so nothing here takes one from a caller; what a caller asks for stands in store.ts.
import { limits } from '@parley/contract/limits';
import type { WebhookAttempt } from '@parley/contract/webhooks';
import { webhookSubscriptionLifecycle } from '@parley/contract/webhooks';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { mover } from '../../platform/lifecycle.ts';
import { afterEnds } from './failure-streak.ts';
import type { DeliveryState, Standing } from './retry-ladder.ts';

/** Given out by a claim; whoever holds the newest number of a delivery may complete it. */
export type Claim = { id: string; subscription_id: string; claim_no: number };

export type ClaimedDelivery = Claim &
  Standing & {
    event_type: string;
    payload: string;
    source_name: string | null;
  };

export type Completion = Claim & {
  from_status: DeliveryState;
  to_status: DeliveryState;
  ladder_left: number;
  /** Times are in milliseconds. */
  first_attempt_at: number | null;
  due_at: number | null;
  was_manual: boolean;
  died: boolean;
  attempt: WebhookAttempt;
};

export type StoredRecipient = {
  id: string;
  organization_id: string;
  target_url: string;
  status: 'active' | 'disabled';
  secret_sealed: string;
  previous_secret_sealed: string | null;
  previous_secret_expires_at: Date | null;
};

export type Due = {
  /** Subscriptions with a delivery that may be claimed. */
  subscription_ids: string[];
  has_manual: boolean;
  /** Some event was handed to a process that answers for it no longer. */
  has_left_behind: boolean;
  /** When the next one may be claimed, if nothing new comes. */
  next_at: Date | null;
};

/** A statement that removes more would hold the others up. */
const removed_at_once = 5000;

const waiting = sql`status = 'pending' and not is_manual`;

export function deliveryQueueStore(db: Database) {
  const move = mover({ outbox: null });

  /** Steps from subscription to subscription through the index: the number of deliveries that wait does not matter. */
  const waitingSubscriptions = sql`
    recursive step as (
      (select subscription_id, claimable_at from webhook_deliveries where ${waiting}
        order by subscription_id, claimable_at limit 1)
      union all
      select next.subscription_id, next.claimable_at from step, lateral (
        select subscription_id, claimable_at from webhook_deliveries
         where ${waiting} and subscription_id > step.subscription_id
         order by subscription_id, claimable_at limit 1) next
    ), waiting as (
      select subscription_id, claimable_at from step
        join webhook_subscriptions s on s.id = step.subscription_id and s.status = 'active'
    )`;

  const write = (on: Queryable, completions: readonly Completion[], now: Date) => {
    const cleared = completions
      .filter((each) => each.attempt.error === null)
      .map((each) => each.subscription_id);
    // The guard of the lifecycle is in the WHERE clause; the pure rules of retry-ladder.ts chose the new status.
    return on.rows<{ id: string }>(
      sql.replanned(sql`
      with result as (
        select * from json_to_recordset(${JSON.stringify(completions)}::json) as r (
          subscription_id uuid, id uuid, claim_no int, from_status text, to_status text, ladder_left int, first_attempt_at float8,
          due_at float8, was_manual boolean, attempt jsonb)
      ), cleared as (
        update webhook_subscriptions s set dead_streak = 0
         from (select id from webhook_subscriptions where id = any(${[...new Set(cleared)]}::uuid[]) and dead_streak > 0
                order by id for no key update) alive
         where s.id = alive.id
      )
      update webhook_deliveries d
         set status = r.to_status, ladder_left = r.ladder_left, first_attempt_at = to_timestamp(r.first_attempt_at / 1000),
             delivered_at = case when r.to_status = 'delivered' then coalesce(d.delivered_at, ${now}) end,
             -- Somebody may have asked for one more attempt while this one was on its way.
             claimable_at = case when d.is_manual and not r.was_manual then ${now}
                                 else coalesce(to_timestamp(r.due_at / 1000), d.claimable_at) end,
             is_manual = d.is_manual and not r.was_manual, is_leased = false,
             attempts = (case when jsonb_array_length(d.attempts::jsonb) >= ${limits.webhook_attempts_kept}
                              then d.attempts::jsonb - 0 else d.attempts::jsonb end || r.attempt)::text
        from result r
       where d.subscription_id = r.subscription_id and d.id = r.id and d.claim_no = r.claim_no and d.status = r.from_status
      returning d.id`),
    );
  };

  const countStreaks = async (tx: Transaction, completions: readonly Completion[]) => {
    const ids = [...new Set(completions.filter(({ died }) => died).map((each) => each.subscription_id))];
    const subscriptions = await tx.rows<{
      id: string;
      organization_id: string;
      dead_streak: number;
      is_organization_wide: boolean;
    }>(sql`
      select id, organization_id, dead_streak, email_domain_id is null as is_organization_wide
        from webhook_subscriptions where id = any(${ids}::uuid[]) order by id for update`);
    return async (written: Set<string>) => {
      for (const subscription of subscriptions) {
        const { id, organization_id } = subscription;
        const ends = completions
          .filter((each) => each.subscription_id === id && written.has(each.id))
          .filter(({ died, attempt }) => died || attempt.error === null)
          .map(({ died }) => (died ? ('dead' as const) : ('delivered' as const)));
        const { dead_streak, disable } = afterEnds(subscription, ends);
        await tx.run(sql`
          update webhook_subscriptions set dead_streak = ${dead_streak}
           where organization_id = ${organization_id} and id = ${id}`);
        if (!disable) continue;
        await move(tx, {
          lifecycle: webhookSubscriptionLifecycle,
          table: 'webhook_subscriptions',
          organization_id,
          id,
          trigger: 'kept_failing',
          set: { disabled_reason: 'kept_failing' },
          returning: sql`id`,
        });
      }
    };
  };

  return {
    // The first of each kind in the order of its index: asked whether there is any, the planner reads the table instead.
    async due(now: Date): Promise<Due> {
      const row = await db.maybe<Due>(
        sql.replanned(sql`
        with ${waitingSubscriptions}, manual as (
          select claimable_at from webhook_deliveries where is_manual order by claimable_at limit 1
        ), oldest as (
          select held_until from webhook_hand_offs order by held_until limit 1
        )
        select array(select subscription_id::text from waiting where claimable_at <= ${now}) as subscription_ids,
               exists(select from manual where claimable_at <= ${now}) as has_manual,
               exists(select from oldest where held_until <= ${now}) as has_left_behind,
               least((select min(claimable_at) from waiting where claimable_at > ${now}),
                     (select claimable_at from manual where claimable_at > ${now}),
                     (select held_until from oldest where held_until > ${now})) as next_at`),
      );
      return row!;
    },

    claim(
      wanted: readonly { subscription_id: string; room: number }[],
      lease: { now: Date; until: Date },
    ): Promise<ClaimedDelivery[]> {
      return db.rows<ClaimedDelivery>(
        sql.replanned(sql`
        with wanted as (
          select * from unnest(${wanted.map((each) => each.subscription_id)}::uuid[],
                               ${wanted.map((each) => each.room)}::int[]) as w (subscription_id, room)
        ), scheduled as (
          select wanted.subscription_id, picked.id from wanted, lateral (
            select id from webhook_deliveries d
             where ${waiting} and d.subscription_id = wanted.subscription_id and claimable_at <= ${lease.now}
             order by claimable_at limit wanted.room for update skip locked) picked
        ), manual as (
          select subscription_id, id from webhook_deliveries where is_manual and claimable_at <= ${lease.now}
           order by claimable_at limit 100 for update skip locked
        ), claimed as (
          update webhook_deliveries d
             set claim_no = d.claim_no + 1, claimable_at = ${lease.until}, is_leased = true
            from (select * from scheduled union all select * from manual) p
           where d.subscription_id = p.subscription_id and d.id = p.id
          returning d.*
        )
        select c.id, c.claim_no, c.subscription_id, c.event_type, c.status, c.ladder_left, c.is_manual,
               (extract(epoch from c.first_attempt_at) * 1000)::float8 as first_attempt_at,
               coalesce(c.test_payload, e.payload) as payload, e.source_name
          from claimed c left join events e on e.organization_id = c.organization_id and e.id = c.event_id`),
      );
    },

    async complete(completions: readonly Completion[], now: Date): Promise<void> {
      if (!completions.some(({ died }) => died)) {
        await write(db, completions, now);
        return;
      }
      await db.transaction(async (tx) => {
        const count = await countStreaks(tx, completions);
        const written = await write(tx, completions, now);
        await count(new Set(written.map(({ id }) => id)));
      });
    },

    /** Back to the others, as if it had not been claimed. */
    giveBack: (claims: readonly Claim[], now: Date) =>
      db.run(sql`
        update webhook_deliveries d set claimable_at = ${now}, is_leased = false
          from unnest(${claims.map((each) => each.subscription_id)}::uuid[], ${claims.map(({ id }) => id)}::uuid[],
                      ${claims.map((each) => each.claim_no)}::int[]) as c (subscription_id, id, claim_no)
         where d.subscription_id = c.subscription_id and d.id = c.id and d.claim_no = c.claim_no and d.is_leased`),

    recipients: (ids: readonly string[]) =>
      db.rows<StoredRecipient>(sql`
        select id, organization_id, target_url, status, secret_sealed, previous_secret_sealed,
               previous_secret_expires_at
          from webhook_subscriptions where id = any(${ids}::uuid[])`),

    /** What is left of removed subscriptions; false when there may be more. */
    async removeDeliveries(subscription_id: string): Promise<boolean> {
      const removed = await db.run(sql`
        delete from webhook_deliveries where subscription_id = ${subscription_id} and id in (
          select id from webhook_deliveries where subscription_id = ${subscription_id} limit ${removed_at_once})`);
      return removed < removed_at_once;
    },

    /** The ids begin with the time of the event, so that each subscription's oldest stand first in its index. */
    async forgetBefore(moment: Date): Promise<boolean> {
      const removed = await db.run(sql`
        delete from webhook_deliveries d using (
          select old.subscription_id, old.id from webhook_subscriptions s, lateral (
            select subscription_id, id from webhook_deliveries
             where subscription_id = s.id and id < ${firstIdAt(moment)} order by id limit ${removed_at_once}) old
           limit ${removed_at_once}) old
         where d.subscription_id = old.subscription_id and d.id = old.id`);
      return removed < removed_at_once;
    },

    forgetOldSecrets: (now: Date) =>
      db.run(sql`
        update webhook_subscriptions set previous_secret_sealed = null, previous_secret_expires_at = null
         where previous_secret_expires_at <= ${now}`),
  };
}
export type DeliveryQueueStore = ReturnType<typeof deliveryQueueStore>;
