// The SQL behind the operations of webhooks.
import { limits } from '@parley/contract/limits';
import {
  type WebhookDelivery,
  type WebhookDeliveryWithAttempts,
  type WebhookSubscription,
  webhookDeliveryLifecycle,
  webhookLadderSeconds,
} from '@parley/contract/operations/webhooks/webhooks';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { mover } from '../../../platform/lifecycle.ts';
import { was_set_aside } from './send/queue/claim-store.ts';
import type { DeliveryState } from './send/results/retry-ladder.ts';

/** How many deliveries show whether a subscription works. */
const recent = 50;

/** Of the newest deliveries, those that were attempted at least once. */
const recentDeliveries = sql`(
  select json_build_object(
           'count', count(*)::int,
           'failed_count', (count(*) filter (where error is not null))::int,
           -- A delivery that was first attempted before the last success may have failed only later.
           'failing_since', iso(min(greatest(first_attempt_at, last_success_at))
                                  filter (where error is not null and (last_success_at is null or attempted_at > last_success_at))),
           'last_failed_at', iso(max(attempted_at) filter (where error is not null)),
           'last_error', (array_agg(error order by attempted_at desc) filter (where error is not null))[1])
    from (select *, max(attempted_at) filter (where error is null) over () as last_success_at from (
            select coalesce(first_attempt_at, created_at) as first_attempt_at, attempts::json -> -1 ->> 'error' as error,
                   (attempts::json -> -1 ->> 'attempted_at')::timestamptz as attempted_at
              from (select first_attempt_at, created_at, attempts from webhook_deliveries d
                     where d.organization_id = webhook_subscriptions.organization_id
                       and d.subscription_id = webhook_subscriptions.id
                     order by d.id desc limit ${recent}) newest
             where attempts <> '[]') attempted) deliveries)`;

export const subscriptionColumns = sql`id, organization_id, target_url, event_types, email_domain_id, status,
  disabled_reason, dead_streak, ${recentDeliveries} as recent_deliveries, iso(previous_secret_expires_at) as previous_secret_expires_at,
  iso(created_at) as created_at, iso(updated_at) as updated_at`;

// While a process works on a delivery, claimable_at is the end of its lease, so next_attempt_at is computed.
const deliveryColumns = sql`id, organization_id, subscription_id, event_id, event_type,
  test_payload is not null as is_test, status, json_array_length(attempts::json) as attempt_count,
  (attempts::json -> -1 ->> 'status_code')::int as last_status_code, attempts::json -> -1 ->> 'error' as last_error,
  iso(case when status <> 'pending' then null
           when is_manual and not is_leased then claimable_at
           when is_manual or first_attempt_at is null then created_at
           else first_attempt_at + (${webhookLadderSeconds}::int[])[${webhookLadderSeconds.length + 1} - ladder_left]
                                   * interval '1 second' end) as next_attempt_at,
  iso(created_at) as created_at, iso(delivered_at) as delivered_at`;

const subscription_cursors = cursors('webhooks');
const delivery_cursors = cursors('webhook_deliveries');

const move = mover({ outbox: null });

const byId = (organization_id: string, id: string) =>
  sql`organization_id = ${organization_id} and id = ${id}`;

/** False when the organization has reached its limit. Serializes the inserts of one organization, so that it holds. */
export async function insertSubscription(
  db: Database,
  organization_id: string,
  subscription: WebhookSubscription,
  secret_sealed: string,
): Promise<boolean> {
  const row = { ...subscription, secret_sealed, previous_secret_sealed: null };
  const inserted = await db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${organization_id}`}, 0))`);
    return tx.run(sql`
      insert into webhook_subscriptions
      select r.* from json_populate_record(null::webhook_subscriptions, ${JSON.stringify(row)}) r
       where (select count(*) from webhook_subscriptions where organization_id = ${organization_id})
             < ${limits.webhook_subscriptions}`);
  });
  return inserted > 0;
}

export const findSubscription = (on: Queryable, organization_id: string, id: string) =>
  on.maybe<WebhookSubscription>(
    sql`select ${subscriptionColumns} from webhook_subscriptions where ${byId(organization_id, id)}`,
  );

export const lockSubscription = (tx: Transaction, organization_id: string, id: string) =>
  tx.maybe<WebhookSubscription & { secret_sealed: string }>(sql`
    select ${subscriptionColumns}, secret_sealed
      from webhook_subscriptions where ${byId(organization_id, id)} for update`);

export const listSubscriptions = (db: Database, organization_id: string, page: PageRequest) =>
  readPage<WebhookSubscription>(db, subscription_cursors, page, {
    columns: subscriptionColumns,
    from: sql`webhook_subscriptions`,
    where: sql`organization_id = ${organization_id}`,
  });

export const updateSubscription = (
  tx: Transaction,
  organization_id: string,
  id: string,
  to: Pick<WebhookSubscription, 'target_url' | 'event_types' | 'updated_at'>,
) =>
  tx.maybe<WebhookSubscription>(sql`
    update webhook_subscriptions
       set target_url = ${to.target_url}, event_types = ${to.event_types}, updated_at = ${to.updated_at}
     where ${byId(organization_id, id)} returning ${subscriptionColumns}`);

export const replaceSecret = (
  tx: Transaction,
  organization_id: string,
  id: string,
  to: {
    secret_sealed: string;
    previous_secret_sealed: string | null;
    previous_secret_expires_at: string | null;
    updated_at: string;
  },
) =>
  tx.maybe<WebhookSubscription>(sql`
    update webhook_subscriptions
       set secret_sealed = ${to.secret_sealed}, previous_secret_sealed = ${to.previous_secret_sealed},
           previous_secret_expires_at = ${to.previous_secret_expires_at}, updated_at = ${to.updated_at}
     where ${byId(organization_id, id)} returning ${subscriptionColumns}`);

export const deleteSubscription = (tx: Transaction, organization_id: string, id: string) =>
  tx.run(sql`delete from webhook_subscriptions where ${byId(organization_id, id)}`);

export const insertTest = (
  db: Database,
  organization_id: string,
  test: {
    id: string;
    subscription_id: string;
    event_id: string;
    event_type: string;
    payload: string;
    now: Date;
  },
) =>
  db.maybe<WebhookDelivery>(sql`
    insert into webhook_deliveries (id, organization_id, subscription_id, event_id, event_type, test_payload, status,
                                    ladder_left, claimable_at, is_leased, claim_no, is_manual, attempts, created_at)
    values (${test.id}, ${organization_id}, ${test.subscription_id}, ${test.event_id}, ${test.event_type},
            ${test.payload}, 'pending', 0, ${test.now}, false, 0, true, '[]', ${test.now})
    returning ${deliveryColumns}`);

export const findDelivery = (db: Database, organization_id: string, subscription_id: string, id: string) =>
  db.maybe<WebhookDeliveryWithAttempts>(sql`
    select ${deliveryColumns}, attempts::json from webhook_deliveries
     where ${byId(organization_id, id)} and subscription_id = ${subscription_id}`);

export const listDeliveries = (
  db: Database,
  organization_id: string,
  subscription_id: string,
  page: PageRequest & { status?: DeliveryState | undefined },
) =>
  readPage<WebhookDelivery>(db, delivery_cursors, page, {
    columns: deliveryColumns,
    from: sql`webhook_deliveries`,
    where: sql`organization_id = ${organization_id} and subscription_id = ${subscription_id}
               ${page.status ? sql`and status = ${page.status}` : sql.empty}`,
  });

/** Requests one more attempt: now, or directly after the one in flight. */
export async function redeliver(
  tx: Transaction,
  organization_id: string,
  subscription_id: string,
  id: string,
  now: Date,
): Promise<WebhookDelivery | 'set_aside' | null> {
  const subscription = await tx.maybe<{ was_set_aside: boolean }>(sql`
    select ${was_set_aside} as was_set_aside from webhook_deliveries
     where ${byId(organization_id, id)} and subscription_id = ${subscription_id} for update`);
  if (!subscription) return null;
  if (subscription.was_set_aside) return 'set_aside';
  await move(tx, {
    lifecycle: webhookDeliveryLifecycle,
    table: 'webhook_deliveries',
    organization_id,
    id,
    key: { subscription_id },
    trigger: 'redelivered',
    returning: sql`id`,
  });
  return tx.maybe<WebhookDelivery>(sql`
    update webhook_deliveries
       set is_manual = true,
           claimable_at = case when is_leased and claimable_at > ${now} then claimable_at else ${now} end
     where ${byId(organization_id, id)} and subscription_id = ${subscription_id} returning ${deliveryColumns}`);
}
