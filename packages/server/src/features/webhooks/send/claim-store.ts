// The SQL that finds, claims and releases due deliveries. Works for all organizations, so no function here takes an
// organization from a caller; the queries behind the API are in ../store.ts.
import type { Database } from '../../../platform/db/database.ts';
import { withIndexPlans } from '../../../platform/db/partitions.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { DeliveryProgress } from './retry-ladder.ts';

/** Only the process with the newest `claim_no` of a delivery may store a result for it. */
export type Claim = { id: string; subscription_id: string; claim_no: number };

export type ClaimedDelivery = Claim &
  DeliveryProgress & {
    event_type: string;
    payload: string;
    source_name: string | null;
    traceparent: string | null;
  };

export type Due = {
  /** Subscriptions with a delivery that may be claimed. */
  subscription_ids: string[];
  has_manual: boolean;
  /** The process that leased some event did not finish it in time. */
  has_expired_lease: boolean;
  /** When the next delivery becomes claimable, if no new event arrives. */
  next_at: Date | null;
};

const max_manual_claims = 100;

const scheduled_condition = sql`status = 'pending' and not is_manual`;

/** Steps from subscription to subscription through the index, so its cost does not grow with the waiting deliveries. */
const waiting_subscriptions = sql`
  recursive step as (
    (select subscription_id, claimable_at from webhook_deliveries where ${scheduled_condition}
      order by subscription_id, claimable_at limit 1)
    union all
    select next.subscription_id, next.claimable_at from step, lateral (
      select subscription_id, claimable_at from webhook_deliveries
       where ${scheduled_condition} and subscription_id > step.subscription_id
       order by subscription_id, claimable_at limit 1) next
  ), waiting as (
    select subscription_id, claimable_at from step
      join webhook_subscriptions s on s.id = step.subscription_id and s.status = 'active'
  )`;

// Reads the first row of each kind in the order of its index: for an EXISTS, the planner would read the whole table.
export async function findDue(db: Database, now: Date): Promise<Due> {
  const row = await db.maybe<Due>(
    sql.replanned(sql`
    with ${waiting_subscriptions}, manual as (
      select claimable_at from webhook_deliveries where is_manual order by claimable_at limit 1
    ), oldest as (
      select held_until from webhook_hand_offs order by held_until limit 1
    )
    select array(select subscription_id::text from waiting where claimable_at <= ${now}) as subscription_ids,
           exists(select from manual where claimable_at <= ${now}) as has_manual,
           exists(select from oldest where held_until <= ${now}) as has_expired_lease,
           least((select min(claimable_at) from waiting where claimable_at > ${now}),
                 (select claimable_at from manual where claimable_at > ${now}),
                 (select held_until from oldest where held_until > ${now})) as next_at`),
  );
  return row!;
}

/** Claims up to `capacity` due deliveries of each subscription, and manual ones of any subscription. */
export const claimDue = (
  db: Database,
  requests: readonly { subscription_id: string; capacity: number }[],
  lease: { now: Date; until: Date },
): Promise<ClaimedDelivery[]> =>
  withIndexPlans(db, (tx) =>
    tx.rows<ClaimedDelivery>(
      sql.replanned(sql`
    with requested as (
      select * from unnest(${requests.map((each) => each.subscription_id)}::uuid[],
                           ${requests.map((each) => each.capacity)}::int[]) as r (subscription_id, capacity)
    ), scheduled as (
      select requested.subscription_id, picked.id from requested, lateral (
        select id from webhook_deliveries d
         where ${scheduled_condition} and d.subscription_id = requested.subscription_id and claimable_at <= ${lease.now}
         order by claimable_at limit requested.capacity for update skip locked) picked
    ), manual as (
      select subscription_id, id from webhook_deliveries where is_manual and claimable_at <= ${lease.now}
       order by claimable_at limit ${max_manual_claims} for update skip locked
    ), claimed as (
      update webhook_deliveries d
         set claim_no = d.claim_no + 1, claimable_at = ${lease.until}, is_leased = true
        from (select * from scheduled union all select * from manual) p
       where d.subscription_id = p.subscription_id and d.id = p.id
      returning d.*
    )
    select c.id, c.claim_no, c.subscription_id, c.event_type, c.status, c.ladder_left, c.is_manual,
           (extract(epoch from c.first_attempt_at) * 1000)::float8 as first_attempt_at,
           coalesce(c.test_payload, e.payload) as payload, e.source_name, e.traceparent
      from claimed c left join events e on e.organization_id = c.organization_id and e.id = c.event_id`),
    ),
  );

/** Makes claimed deliveries due again, as if they had not been claimed. */
export const releaseClaims = (db: Database, claims: readonly Claim[], now: Date) =>
  withIndexPlans(db, (tx) =>
    tx.run(
      sql.replanned(sql`
    update webhook_deliveries d set claimable_at = ${now}, is_leased = false
      from unnest(${claims.map((each) => each.subscription_id)}::uuid[], ${claims.map(({ id }) => id)}::uuid[],
                  ${claims.map((each) => each.claim_no)}::int[]) as c (subscription_id, id, claim_no)
     where d.subscription_id = c.subscription_id and d.id = c.id and d.claim_no = c.claim_no and d.is_leased`),
    ),
  );
