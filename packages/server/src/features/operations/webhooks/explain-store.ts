// The SQL behind explain: deliveries of events, and one delivery with its subscription.
import type { WebhookAttempt } from '@parley/contract/operations/webhooks/webhooks';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { deliveryId } from './send/delivery-id.ts';

export type DeliveryHistory = {
  id: string;
  subscription_id: string;
  event_id: string;
  event_type: string;
  status: string;
  created_at: string;
  delivered_at: string | null;
  attempts: WebhookAttempt[];
  /** Of the subscription. */
  subscription_status: string;
  disabled_reason: string | null;
};

const max_deliveries = 100;

const columns = sql`d.id, d.subscription_id, d.event_id, d.event_type, d.status, iso(d.created_at) as created_at,
  iso(d.delivered_at) as delivered_at, d.attempts::json as attempts, s.status as subscription_status, s.disabled_reason`;

/** The id of a delivery follows from event and subscription, so it is found by its key, not by a search through the log. */
export async function deliveriesOf(
  db: Database,
  organization_id: string,
  events: readonly { id: string; type: string }[],
): Promise<DeliveryHistory[]> {
  if (events.length === 0) return [];
  const subscriptions = await db.rows<{ id: string; event_types: string[] }>(sql`
    select id, event_types from webhook_subscriptions
     where organization_id = ${organization_id} and event_types && ${events.map(({ type }) => type)}::text[] limit 500`);
  const keys = subscriptions
    .flatMap(({ id, event_types }) =>
      events
        .filter(({ type }) => event_types.includes(type))
        .map((event) => ({ subscription_id: id, id: deliveryId(event.id, id) })),
    )
    .slice(0, max_deliveries);
  if (keys.length === 0) return [];
  return db.rows<DeliveryHistory>(sql`
    select ${columns}
      from unnest(${keys.map((key) => key.subscription_id)}::uuid[], ${keys.map((key) => key.id)}::uuid[]) k (subscription_id, id)
           cross join lateral (
             select * from webhook_deliveries w
              where w.organization_id = ${organization_id} and w.subscription_id = k.subscription_id and w.id = k.id
              limit 1) d
           join webhook_subscriptions s on s.id = d.subscription_id`);
}

export const findDeliveryHistory = (
  db: Database,
  organization_id: string,
  id: string,
  subscription_id: string | null,
) =>
  db.maybe<DeliveryHistory>(sql`
    select ${columns}
      from webhook_subscriptions s cross join lateral (
             select * from webhook_deliveries w
              where w.organization_id = ${organization_id} and w.subscription_id = s.id and w.id = ${id} limit 1) d
     where s.organization_id = ${organization_id}
           ${subscription_id === null ? sql.empty : sql`and s.id = ${subscription_id}`}
     limit 1`);
