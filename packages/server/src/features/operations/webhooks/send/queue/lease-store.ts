// The SQL of event leases (table event_leases). The commit that writes an event also leases its first attempts to
// this process. A delivery gets its row only when the result of its first attempt is known: one write instead of two.
// Works for all organizations, so no function here takes an organization from a caller, except `insertLeasedDeliveries`.
import type { Database, Transaction } from '../../../../../platform/db/database.ts';
import { useIndexPlans, withIndexPlans } from '../../../../../platform/db/partitions.ts';
import { type Sql, sql } from '../../../../../platform/db/sql.ts';
import type { FanOut } from '../../../../../platform/outbox.ts';
import { ladder_start } from '../results/retry-ladder.ts';

/** Events of one commit that go to the same subscriptions. This process owns their first attempts until `held_until`. */
export type EventLease = { id: string; held_until: string };

export type LeasedEvent = {
  lease: EventLease;
  event_id: string;
  organization_id: string;
  event_type: string;
  created_at: string;
};

/**
 * What the fan-out returns: one row per lease, with the id of the first of its events. `subscription_ids` is null for
 * deliveries that were inserted for any process to claim.
 */
export type LeasedRow = { event_id: string; subscription_ids: string | null; held_until: number };

/** How many expired leases one statement takes over. */
const take_over_batch = 20;

export const new_delivery_columns = sql`id, organization_id, subscription_id, event_id, event_type, status, ladder_left,
  claimable_at, is_leased, claim_no, is_manual, attempts, created_at`;

/** Computes the same as `deliveryId`. */
const deliveryIdSql = (event_id: Sql, subscription_id: Sql) => sql`
  overlay(${event_id}::text placing '8' || substr(md5(${event_id}::text || ${subscription_id}::text), 1, 3) || '-'
          || substr(md5(${event_id}::text || ${subscription_id}::text), 4, 12) from 20)::uuid`;

const fan_out_columns = [sql`event_id`, sql`subscription_ids`, sql`held_until`];

const subscriptionsTo = (event: Sql) => sql`
  webhook_subscriptions s on s.organization_id = ${event}.organization_id and s.status = 'active'
   and ${event}.type = any(s.event_types) and (s.email_domain_id is null or s.email_domain_id = ${event}.source_id)`;

/** Inserts deliveries that any process may claim. */
const insertClaimable = (condition: Sql) => sql`
  insert into webhook_deliveries (${new_delivery_columns})
  select ${deliveryIdSql(sql`made.id`, sql`s.id`)}, made.organization_id, s.id, made.id, made.type, 'pending',
         ${ladder_start}::int, made.created_at, false, 0, false, '[]', made.created_at
    from made join ${subscriptionsTo(sql`made`)} ${condition}
  returning event_id, null::text as subscription_ids, 0::float8 as held_until`;

/** Part of the outbox's statement: leases the new events to this process, except for the subscriptions in `except`. */
export function fanOutStatement(
  lease: { until: Date; except: string[] } | null,
): ReturnType<FanOut['parts']> {
  if (!lease) return { steps: {}, statement: insertClaimable(sql.empty), columns: fan_out_columns };
  const { until, except } = lease;
  const steps: Record<string, Sql> =
    except.length === 0 ? {} : { waiting: insertClaimable(sql`where s.id = any(${except}::uuid[])`) };
  const others = except.length === 0 ? sql.empty : sql`where s.id <> all(${except}::uuid[])`;
  return {
    steps,
    columns: fan_out_columns,
    statement: sql`
      insert into event_leases (held_until, id, organization_id, event_ids, subscription_ids)
      select ${until}::timestamptz, alike.ids[1], alike.organization_id, alike.ids, array_agg(s.id)
        from (select organization_id, type, source_id, array_agg(id) as ids
                from made group by organization_id, type, source_id) alike
             join ${subscriptionsTo(sql`alike`)} ${others}
       group by alike.organization_id, alike.ids
      returning id as event_id, array_to_string(subscription_ids, ',') as subscription_ids,
                (extract(epoch from held_until) * 1000)::float8 as held_until`,
  };
}

/** Inserts the rows of a subscription's deliveries that are in their first attempt, so that the API can show them. */
export async function insertLeasedDeliveries(
  tx: Transaction,
  organization_id: string,
  subscription_id: string,
): Promise<void> {
  await useIndexPlans(tx);
  await tx.run(sql`
    insert into webhook_deliveries (${new_delivery_columns}, starts)
    select ${deliveryIdSql(sql`e.id`, sql`s.id`)}, e.organization_id, s.id, e.id, e.type, 'pending', ${ladder_start}::int,
           h.held_until, true, 1, false, '[]', e.created_at, 1
      from event_leases h cross join unnest(h.event_ids) as held (id)
           join events e on e.organization_id = h.organization_id and e.id = held.id, webhook_subscriptions s
     where h.organization_id = ${organization_id} and ${subscription_id} = any(h.subscription_ids)
       and s.organization_id = ${organization_id} and s.id = ${subscription_id}
    on conflict do nothing`);
}

/**
 * Makes deliveries claimable whose lease expired, because their process crashed: the lease counts as a start. False when there
 * may be more.
 */
export async function takeOverExpired(db: Database, now: Date): Promise<boolean> {
  const row = await withIndexPlans(db, (tx) =>
    tx.maybe<{ taken: number }>(
      sql.replanned(sql`
    with expired as (
      delete from event_leases h using (
        select held_until, id from event_leases where held_until <= ${now}
         order by held_until limit ${take_over_batch} for update skip locked) old
       where h.held_until = old.held_until and h.id = old.id
      returning h.organization_id, h.event_ids, h.subscription_ids
    ), inserted as (
      insert into webhook_deliveries (${new_delivery_columns}, starts)
      select ${deliveryIdSql(sql`e.id`, sql`s.id`)}, e.organization_id, s.id, e.id, e.type, 'pending', ${ladder_start}::int,
             ${now}, false, 1, false, '[]', e.created_at, 1
        from expired l cross join unnest(l.event_ids) as held (id)
             join events e on e.organization_id = l.organization_id and e.id = held.id, webhook_subscriptions s
       where s.id = any(l.subscription_ids)
      on conflict do nothing
    )
    select count(*)::int as taken from expired`),
    ),
  );
  return row!.taken < take_over_batch;
}

export const deleteLeases = (leases: readonly EventLease[]) => sql`
  delete from event_leases h
   using unnest(${leases.map((lease) => lease.held_until)}::timestamptz[], ${leases.map((lease) => lease.id)}::uuid[])
           as d (held_until, id)
   where h.held_until = d.held_until and h.id = d.id`;
