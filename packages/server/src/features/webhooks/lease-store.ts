// The SQL of deliveries before their first attempt ended: handed to this process in the commit that makes the event,
// and written down once, when it is known how the attempt went. Works for all organizations at once.
import { hash } from 'node:crypto';
import type { WebhookAttempt } from '@parley/contract/webhooks';
import { type Database, type Queryable, violates } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { FanOut } from '../../platform/outbox.ts';
import { type DeliveryState, ladder_start } from './retry-ladder.ts';

/** Events of one commit for the same subscriptions, that this process answers for until then. */
export type HandOff = { id: string; held_until: string };

export type HeldEvent = {
  hand_off: HandOff;
  event_id: string;
  organization_id: string;
  event_type: string;
  created_at: string;
};

/**
 * What the fan-out tells of the first of the events that go to the same subscriptions; null where their deliveries wait
 * for anybody.
 */
export type HandedEvents = { event_id: string; subscription_ids: string | null; held_until: number };

/** How a delivery stands that has no row yet; without an attempt it goes back to the others. */
export type FirstEnd = {
  held: HeldEvent;
  id: string;
  subscription_id: string;
  status: DeliveryState;
  ladder_left: number;
  /** Times are in milliseconds. */
  first_attempt_at: number | null;
  due_at: number | null;
  attempt: WebhookAttempt | null;
};

/** How many hand-offs of a dead process are taken over at a time. */
const taken_at_once = 20;

/**
 * Made of the event's id, so that it sorts by time, and a hash of both: an event can have only one delivery a
 * subscription, whoever writes it down. `deliveryIdOf` says the same to the database.
 */
export function deliveryId(event_id: string, subscription_id: string): string {
  const digest = hash('md5', event_id + subscription_id, 'hex');
  return `${event_id.slice(0, 19)}8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}
const deliveryIdOf = (event_id: Sql, subscription_id: Sql) => sql`
  overlay(${event_id}::text placing '8' || substr(md5(${event_id}::text || ${subscription_id}::text), 1, 3) || '-'
          || substr(md5(${event_id}::text || ${subscription_id}::text), 4, 12) from 20)::uuid`;

const new_columns = sql`id, organization_id, subscription_id, event_id, event_type, status, ladder_left, claimable_at, is_leased,
  claim_no, is_manual, attempts, created_at`;

const columns = [sql`event_id`, sql`subscription_ids`, sql`held_until`];

const whoAskedFor = (event: Sql) => sql`
  webhook_subscriptions s on s.organization_id = ${event}.organization_id and s.status = 'active'
   and ${event}.type = any(s.event_types) and (s.email_domain_id is null or s.email_domain_id = ${event}.source_id)`;

/** Deliveries that anybody may claim. */
const waitingFor = (condition: Sql) => sql`
  insert into webhook_deliveries (${new_columns})
  select ${deliveryIdOf(sql`made.id`, sql`s.id`)}, made.organization_id, s.id, made.id, made.type, 'pending',
         ${ladder_start}::int, made.created_at, false, 0, false, '[]', made.created_at
    from made join ${whoAskedFor(sql`made`)} ${condition}
  returning event_id, null::text as subscription_ids, 0::float8 as held_until`;

/** What is written over a row that was made for somebody who read the log. */
const overShown = (now: Date) => sql`
  on conflict (subscription_id, id) do update
     set status = excluded.status, ladder_left = excluded.ladder_left, first_attempt_at = excluded.first_attempt_at,
         delivered_at = excluded.delivered_at, attempts = excluded.attempts, is_leased = false,
         -- Somebody may have asked for one more attempt while this one was on its way.
         claimable_at = case when webhook_deliveries.is_manual then ${now} else excluded.claimable_at end
   -- Claimed since, because this process was thought dead: what they write stands.
   where webhook_deliveries.claim_no = 1 and webhook_deliveries.status = 'pending'`;

export function handOffStore(db: Database) {
  return {
    /** Part of the outbox's statement: everything is handed to this process but what is for `except`. */
    fanOut(lease: { until: Date; except: string[] } | null): ReturnType<FanOut['parts']> {
      if (!lease) return { steps: {}, statement: waitingFor(sql.empty), columns };
      const { until, except } = lease;
      const steps: Record<string, Sql> =
        except.length === 0 ? {} : { waiting: waitingFor(sql`where s.id = any(${except}::uuid[])`) };
      const others = except.length === 0 ? sql.empty : sql`where s.id <> all(${except}::uuid[])`;
      return {
        steps,
        columns,
        statement: sql`
          insert into webhook_hand_offs (held_until, id, organization_id, event_ids, subscription_ids)
          select ${until}::timestamptz, alike.ids[1], alike.organization_id, alike.ids, array_agg(s.id)
            from (select organization_id, type, source_id, array_agg(id) as ids
                    from made group by organization_id, type, source_id) alike
                 join ${whoAskedFor(sql`alike`)} ${others}
           group by alike.organization_id, alike.ids
          returning id as event_id, array_to_string(subscription_ids, ',') as subscription_ids,
                    (extract(epoch from held_until) * 1000)::float8 as held_until`,
      };
    },

    /** Writes first attempts down; `done` are hand-offs of which nothing else is to come. */
    async end(ends: readonly FirstEnd[], done: readonly HandOff[], now: Date): Promise<void> {
      const events = [...new Set(ends.map((each) => each.held))];
      const places = new Map(events.map((event, index) => [event, index + 1]));
      const types = [...new Set(events.map((each) => each.event_type))];
      const delivered = ends.filter(({ attempt }) => attempt?.error === null);
      const cleared = [...new Set(delivered.map((each) => each.subscription_id))];
      // What an event has in common for its deliveries is looked up by its place: to join it would cost a third more.
      const write = (if_shown: Sql) =>
        db.run(
          sql.replannedRarely(sql`
        with result as (
          select unnest(${ends.map((end) => places.get(end.held)!)}::int[]) as event,
                 unnest(${ends.map((end) => end.id)}::uuid[]) as id,
                 unnest(${ends.map((end) => end.subscription_id)}::uuid[]) as subscription_id,
                 unnest(${ends.map((end) => end.status)}::text[]) as status,
                 unnest(${ends.map((end) => end.ladder_left)}::int[]) as ladder_left,
                 unnest(${ends.map((end) => end.first_attempt_at)}::float8[]) as first_attempt_at,
                 unnest(${ends.map((end) => end.due_at)}::float8[]) as due_at,
                 unnest(${ends.map(({ attempt }) => JSON.stringify(attempt ? [attempt] : []))}::text[]) as attempts
        ), cleared as (
          update webhook_subscriptions s set dead_streak = 0
           from (select id from webhook_subscriptions where id = any(${cleared}::uuid[]) and dead_streak > 0
                  order by id for no key update) alive
           where s.id = alive.id
        ), done as (${removalOf(done)})
        insert into webhook_deliveries (${new_columns}, first_attempt_at, delivered_at)
        select id, (${events.map((event) => event.organization_id)}::uuid[])[event], subscription_id,
               (${events.map((event) => event.event_id)}::uuid[])[event],
               (${types}::text[])[(${events.map((event) => types.indexOf(event.event_type) + 1)}::int[])[event]],
               status, ladder_left, coalesce(to_timestamp(due_at / 1000), ${now}), false, 1, false, attempts,
               (${events.map((event) => event.created_at)}::timestamptz[])[event],
               to_timestamp(first_attempt_at / 1000), case when status = 'delivered' then ${now}::timestamptz end
          from result
         where exists (select from webhook_subscriptions s where s.id = result.subscription_id)
        ${if_shown}`),
        );
      // Hardly anybody reads the log in just that moment: to reckon with it for every row costs the database a sixth more.
      await write(sql.empty).catch((error) => {
        if (violates(error, 'webhook_deliveries_pkey')) return write(overShown(now));
        throw error;
      });
    },

    /** Gives the deliveries of a subscription that are on their first way their rows, for somebody who reads the log. */
    show: (organization_id: string, subscription_id: string, on: Queryable = db) =>
      on.run(sql`
        insert into webhook_deliveries (${new_columns})
        select ${deliveryIdOf(sql`e.id`, sql`s.id`)}, e.organization_id, s.id, e.id, e.type, 'pending', ${ladder_start}::int,
               h.held_until, true, 1, false, '[]', e.created_at
          from webhook_hand_offs h cross join unnest(h.event_ids) as held (id)
               join events e on e.organization_id = h.organization_id and e.id = held.id, webhook_subscriptions s
         where h.organization_id = ${organization_id} and ${subscription_id} = any(h.subscription_ids)
           and s.organization_id = ${organization_id} and s.id = ${subscription_id}
        on conflict do nothing`),

    /** What a process left behind that no longer answers for it; false when there may be more. */
    async takeOver(now: Date): Promise<boolean> {
      const row = await db.maybe<{ taken: number }>(
        sql.replanned(sql`
        with left_behind as (
          delete from webhook_hand_offs h using (
            select held_until, id from webhook_hand_offs where held_until <= ${now}
             order by held_until limit ${taken_at_once} for update skip locked) old
           where h.held_until = old.held_until and h.id = old.id
          returning h.organization_id, h.event_ids, h.subscription_ids
        ), taken as (
          insert into webhook_deliveries (${new_columns})
          select ${deliveryIdOf(sql`e.id`, sql`s.id`)}, e.organization_id, s.id, e.id, e.type, 'pending', ${ladder_start}::int,
                 ${now}, false, 1, false, '[]', e.created_at
            from left_behind l cross join unnest(l.event_ids) as held (id)
                 join events e on e.organization_id = l.organization_id and e.id = held.id, webhook_subscriptions s
           where s.id = any(l.subscription_ids)
          on conflict do nothing
        )
        select count(*)::int as taken from left_behind`),
      );
      return row!.taken < taken_at_once;
    },
  };
}
export type HandOffStore = ReturnType<typeof handOffStore>;

const removalOf = (hand_offs: readonly HandOff[]) => sql`
  delete from webhook_hand_offs h
   using unnest(${hand_offs.map((each) => each.held_until)}::timestamptz[], ${hand_offs.map((each) => each.id)}::uuid[])
           as d (held_until, id)
   where h.held_until = d.held_until and h.id = d.id`;
