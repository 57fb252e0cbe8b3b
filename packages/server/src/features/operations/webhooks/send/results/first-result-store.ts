// The SQL that inserts deliveries of leased events together with the result of their first attempt. This is the most
// frequent write of webhooks, so it is one statement for a whole batch. Works for all organizations.
import { type WebhookAttempt, webhookDeliveryLifecycle } from '@parley/contract/operations/webhooks/webhooks';
import { type Database, isDuplicateIn } from '../../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../../platform/db/sql.ts';
import { moveEach } from '../../../../../platform/lifecycle.ts';
import {
  deleteLeases,
  type EventLease,
  type LeasedEvent,
  new_delivery_columns,
} from '../queue/lease-store.ts';
import type { DeliveryState } from './retry-ladder.ts';

/** The first result of a delivery that has no row yet. `attempt: null` inserts it so that any process can claim it. */
export type FirstResult = {
  event: LeasedEvent;
  id: string;
  subscription_id: string;
  status: DeliveryState;
  ladder_left: number;
  /** Times are in milliseconds. */
  first_attempt_at: number | null;
  due_at: number | null;
  attempt: WebhookAttempt | null;
};

/** `finished` are the leases whose deliveries are all stored with this batch. */
export async function insertFirstResults(
  db: Database,
  results: readonly FirstResult[],
  finished: readonly EventLease[],
  now: Date,
): Promise<void> {
  // A row exists already only when a client read the delivery log during the attempt. That is rare, and ON CONFLICT for
  // every row costs the database a sixth more.
  await db.run(insertStatement(results, finished, now, sql.empty)).catch((error) => {
    if (!isDuplicateIn(error, 'webhook_deliveries')) throw error;
    return db.run(insertStatement(results, finished, now, overwriteShown(now)));
  });
}

function insertStatement(
  results: readonly FirstResult[],
  finished: readonly EventLease[],
  now: Date,
  on_conflict: Sql,
): Sql {
  const events = [...new Set(results.map((result) => result.event))];
  const positions = new Map(events.map((event, index) => [event, index + 1]));
  const types = [...new Set(events.map((event) => event.event_type))];
  const succeeded = results.filter(({ attempt }) => attempt?.error === null);
  const cleared = [...new Set(succeeded.map((result) => result.subscription_id))];
  // The columns of an event are read from arrays by its position: a join would cost a third more.
  return sql.replannedRarely(sql`
    with result as (
      select unnest(${results.map((each) => positions.get(each.event)!)}::int[]) as event,
             unnest(${results.map((each) => each.id)}::uuid[]) as id,
             unnest(${results.map((each) => each.subscription_id)}::uuid[]) as subscription_id,
             unnest(${results.map((each) => each.status)}::text[]) as status,
             unnest(${results.map((each) => each.ladder_left)}::int[]) as ladder_left,
             unnest(${results.map((each) => each.first_attempt_at)}::float8[]) as first_attempt_at,
             unnest(${results.map((each) => each.due_at)}::float8[]) as due_at,
             unnest(${results.map(({ attempt }) => JSON.stringify(attempt ? [attempt] : []))}::text[]) as attempts
    ), cleared as (
      update webhook_subscriptions s set dead_streak = 0
       from (select id from webhook_subscriptions where id = any(${cleared}::uuid[]) and dead_streak > 0
              order by id for no key update) alive
       where s.id = alive.id
    ), finished as (${deleteLeases(finished)})
    insert into webhook_deliveries (${new_delivery_columns}, first_attempt_at, delivered_at)
    select id, (${events.map((event) => event.organization_id)}::uuid[])[event], subscription_id,
           (${events.map((event) => event.event_id)}::uuid[])[event],
           (${types}::text[])[(${events.map((event) => types.indexOf(event.event_type) + 1)}::int[])[event]],
           status, ladder_left, coalesce(to_timestamp(due_at / 1000), ${now}), false, 1, false, attempts,
           (${events.map((event) => event.created_at)}::timestamptz[])[event],
           to_timestamp(first_attempt_at / 1000), case when status = 'delivered' then ${now}::timestamptz end
      from result
     where exists (select from webhook_subscriptions s where s.id = result.subscription_id)
    ${on_conflict}`);
}

const moves = moveEach(webhookDeliveryLifecycle, 'webhook_deliveries', sql`excluded.status`);

/** Overwrites a row that `insertLeasedDeliveries` inserted for a reader of the delivery log. */
const overwriteShown = (now: Date) => sql`
  on conflict (subscription_id, id) do update
     set ${moves.set}, ladder_left = excluded.ladder_left, first_attempt_at = excluded.first_attempt_at,
         delivered_at = excluded.delivered_at, attempts = excluded.attempts, is_leased = false, starts = 0,
         -- A client may have requested a redelivery during this attempt.
         claimable_at = case when webhook_deliveries.is_manual then ${now} else excluded.claimable_at end
   -- Another process claimed it after the lease expired: its result counts.
   where webhook_deliveries.claim_no = 1 and webhook_deliveries.status = 'pending' and ${moves.guard}`;
