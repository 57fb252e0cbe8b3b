// The SQL that finds, claims and releases due deliveries. Works for all organizations, so no function here takes an
// organization from a caller; the queries behind the API are in ../store.ts.
import type { Database } from '../../../../../platform/db/database.ts';
import { withIndexPlans } from '../../../../../platform/db/partitions.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { max_lost_runs } from '../../../../../platform/set-aside.ts';
import type { DeliveryProgress } from '../results/retry-ladder.ts';

/** Only the process with the newest `claim_no` of a delivery may store a result for it. */
export type Claim = { id: string; subscription_id: string; claim_no: number };

export type ClaimedDelivery = Claim &
  DeliveryProgress & {
    organization_id: string;
    /** Claims that began and have not ended, with this one: the others were lost with a process or a lease. */
    starts: number;
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
      select held_until from event_leases order by held_until limit 1
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

/**
 * A kill loses everything that the process had claimed, thousands of deliveries, and the event leases that a busy process did not
 * get to count too. So the first lost claims change nothing; then one delivery runs alone at a time.
 */
const lost_before_alone = max_lost_runs;
export const runsAlone = ({ starts }: ClaimedDelivery): boolean => starts - 1 === lost_before_alone;
export const isLost = ({ starts }: ClaimedDelivery): boolean => starts - 1 > lost_before_alone;
/** `starts` of a delivery that was set aside, and only of such a one. */
export const was_set_aside = sql`starts > ${lost_before_alone + 1}::int`;

export type ClaimLease = {
  now: Date;
  until: Date;
  /** May claim one delivery that runs alone. */
  with_lost: boolean;
  /** When the others that must run alone are due again. */
  next_turn: Date;
};

/** Claims up to `capacity` due deliveries of each subscription, and manual ones of any subscription. */
export const claimDue = (
  db: Database,
  requests: readonly { subscription_id: string; capacity: number }[],
  lease: ClaimLease,
): Promise<ClaimedDelivery[]> =>
  withIndexPlans(db, (tx) =>
    tx.rows<ClaimedDelivery>(
      sql.replanned(sql`
    with requested as (
      select * from unnest(${requests.map((each) => each.subscription_id)}::uuid[],
                           ${requests.map((each) => each.capacity)}::int[]) as r (subscription_id, capacity)
    ), scheduled as (
      select requested.subscription_id, picked.* from requested, lateral (
        select id, starts, claimable_at from webhook_deliveries d
         where ${scheduled_condition} and d.subscription_id = requested.subscription_id and claimable_at <= ${lease.now}
         order by claimable_at limit requested.capacity for update skip locked) picked
    ), manual as (
      select subscription_id, id, starts, claimable_at from webhook_deliveries where is_manual and claimable_at <= ${lease.now}
       order by claimable_at limit ${max_manual_claims} for update skip locked
    ), due as (
      select subscription_id, id,
             (starts <> ${lost_before_alone}::int
              or ${lease.with_lost}::boolean
                 and row_number() over (partition by starts = ${lost_before_alone}::int order by claimable_at) = 1) as runs
        from (select * from scheduled union all select * from manual) picked
    ), claimed as (
      update webhook_deliveries d
         set claim_no = d.claim_no + p.runs::int, starts = d.starts + p.runs::int, is_leased = p.runs,
             claimable_at = case when p.runs then ${lease.until}::timestamptz else ${lease.next_turn}::timestamptz end
        from due p
       where d.subscription_id = p.subscription_id and d.id = p.id
      returning d.*
    )
    select c.id, c.claim_no, c.starts, c.organization_id, c.subscription_id, c.event_type, c.status, c.ladder_left, c.is_manual,
           (extract(epoch from c.first_attempt_at) * 1000)::float8 as first_attempt_at,
           coalesce(c.test_payload, e.payload) as payload, e.source_name, e.traceparent
      from claimed c left join events e on e.organization_id = c.organization_id and e.id = c.event_id
     where c.is_leased`),
    ),
  );

/** A claim that ended without an attempt, and when the delivery may be claimed again. */
export type Release = { claim: Claim; claimable_ms: number };

/** Makes claimed deliveries claimable again, as if they had not been claimed. */
export const releaseClaims = (db: Database, releases: readonly Release[]) =>
  withIndexPlans(db, (tx) =>
    tx.run(
      sql.replanned(sql`
    update webhook_deliveries d
       set claimable_at = to_timestamp(c.claimable_ms / 1000), is_leased = false, starts = greatest(d.starts - 1, 0)
      from unnest(${releases.map(({ claim }) => claim.subscription_id)}::uuid[],
                  ${releases.map(({ claim }) => claim.id)}::uuid[], ${releases.map(({ claim }) => claim.claim_no)}::int[],
                  ${releases.map(({ claimable_ms }) => claimable_ms)}::float8[])
             as c (subscription_id, id, claim_no, claimable_ms)
     where d.subscription_id = c.subscription_id and d.id = c.id and d.claim_no = c.claim_no and d.is_leased`),
    ),
  );
