// The delivery log of a subscription: test deliveries, reading, redelivery.
import { events } from '@parley/contract/event-types';
import { webhook_api_version } from '@parley/contract/limits';
import type {
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
} from '@parley/contract/operations/webhooks/webhooks';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { insertLeasedDeliveries } from './send/queue/lease-store.ts';
import type { DeliveryState } from './send/results/retry-ladder.ts';
import type { WebhookServiceDeps } from './service.ts';
import * as store from './store.ts';

/** Sends the example of the first subscribed event type. It is not an event, so it is not in the event log. */
export async function sendTest(
  { db, ids, clock, onChange }: WebhookServiceDeps,
  organization_id: string,
  subscription_id: string,
): Promise<WebhookDelivery> {
  const { event_types } = orNotFound(await store.findSubscription(db, organization_id, subscription_id));
  const event_type = event_types[0]!;
  const event_id = ids.next();
  const payload = JSON.stringify({
    id: event_id,
    type: event_type,
    api_version: webhook_api_version,
    created_at: clock.now().toISOString(),
    organization_id,
    data: (events as Record<string, { example: unknown }>)[event_type]?.example ?? {},
  });
  const delivery = await store.insertTest(db, organization_id, {
    id: ids.next(),
    subscription_id,
    event_id,
    event_type,
    payload,
    now: clock.now(),
  });
  onChange(subscription_id);
  return delivery!;
}

export async function list(
  { db }: WebhookServiceDeps,
  organization_id: string,
  subscription_id: string,
  page: PageRequest & { status?: DeliveryState | undefined },
) {
  orNotFound(await store.findSubscription(db, organization_id, subscription_id));
  await db.transaction((tx) => insertLeasedDeliveries(tx, organization_id, subscription_id));
  return store.listDeliveries(db, organization_id, subscription_id, page);
}

export async function get(
  { db }: WebhookServiceDeps,
  organization_id: string,
  subscription_id: string,
  id: string,
): Promise<WebhookDeliveryWithAttempts> {
  orNotFound(await store.findSubscription(db, organization_id, subscription_id));
  await db.transaction((tx) => insertLeasedDeliveries(tx, organization_id, subscription_id));
  return orNotFound(await store.findDelivery(db, organization_id, subscription_id, id));
}

export async function redeliver(
  { db, clock, onChange }: WebhookServiceDeps,
  organization_id: string,
  subscription_id: string,
  id: string,
): Promise<WebhookDelivery> {
  const delivery = await db.transaction(async (tx) => {
    orNotFound(await store.findSubscription(tx, organization_id, subscription_id));
    await insertLeasedDeliveries(tx, organization_id, subscription_id);
    const redelivered = orNotFound(
      await store.redeliver(tx, organization_id, subscription_id, id, clock.now()),
    );
    if (redelivered === 'set_aside') throw new ApiError('delivery_set_aside');
    return redelivered;
  });
  onChange(subscription_id);
  return delivery;
}

const orNotFound = <T>(record: T | null): T => {
  if (record === null) throw new ApiError('not_found');
  return record;
};
