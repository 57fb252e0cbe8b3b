// Shared steps of webhook tests: subscribe a path of a receiver, create events, read deliveries.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookSubscription,
  WebhookSubscriptionWithSecret,
} from '@parley/contract/operations/webhooks/webhooks';
import type { Client } from './app.ts';
import { waitFor } from './wait-for.ts';

let paths = 0;
/** A path that no other test uses. */
export const newPath = () => `/hook-${++paths}`;

export async function subscribe(
  of: Client,
  target_url: string,
  more: Record<string, unknown> = {},
): Promise<WebhookSubscriptionWithSecret> {
  const created = await of.request<WebhookSubscriptionWithSecret>('POST', '/v1/webhooks', {
    target_url,
    event_types: ['call.completed'],
    ...more,
  });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** Creates sandbox events; by default one call.completed. */
export async function createEvents(
  of: Client,
  body: Record<string, unknown> = {},
): Promise<{ id: string }[]> {
  const created = await of.request<{ items: { id: string }[] }>('POST', '/v1/sandbox/events', {
    type: 'call.completed',
    ...body,
  });
  assert.equal(created.status, 201, created.text);
  return created.body.items;
}

/** Creates an email domain, for subscriptions to one domain. */
export async function newEmailDomain(of: Client): Promise<string> {
  const created = await of.request<{ id: string }>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: `d${randomUUID()}.example.com`,
  });
  assert.equal(created.status, 201, created.text);
  return created.body.id;
}

export async function advanceClock(of: Client, advance_seconds: number): Promise<void> {
  const moved = await of.request('POST', '/v1/sandbox/clock', { advance_seconds });
  assert.equal(moved.status, 200, moved.text);
}

export const subscriptionOf = async (of: Client, id: string) =>
  (await of.request<WebhookSubscription>('GET', `/v1/webhooks/${id}`)).body;

export const deliveriesOf = async (of: Client, id: string, query = '') =>
  (await of.request<{ items: WebhookDelivery[] }>('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.items;

export const deliveryOf = async (of: Client, subscription_id: string, id: string) =>
  (await of.request<WebhookDeliveryWithAttempts>('GET', `/v1/webhooks/${subscription_id}/deliveries/${id}`))
    .body;

/** Waits until the delivery has this many attempts. */
export const deliveryAfter = (of: Client, subscription_id: string, id: string, attempts = 1) =>
  waitFor(`${attempts} attempts`, async () => {
    const delivery = await deliveryOf(of, subscription_id, id);
    return delivery.attempts.length >= attempts ? delivery : null;
  });

/** The delivery of a subscription that has exactly one. */
export async function onlyDelivery(of: Client, subscription_id: string, attempts = 1) {
  const [delivery, ...more] = await waitFor('a delivery', async () => {
    const deliveries = await deliveriesOf(of, subscription_id);
    return deliveries.length > 0 ? deliveries : null;
  });
  assert.ok(delivery && more.length === 0);
  return deliveryAfter(of, subscription_id, delivery.id, attempts);
}
