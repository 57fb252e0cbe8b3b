// What tests of webhooks do again and again: subscribe a path of a receiver, make events, look at deliveries.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type {
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookSubscription,
  WebhookSubscriptionWithSecret,
} from '@parley/contract/webhooks';
import type { Client } from './app.ts';

let paths = 0;
/** A path nobody used before. */
export const newPath = () => `/hook-${++paths}`;

export async function subscribe(
  of: Client,
  target_url: string,
  more: Record<string, unknown> = {},
): Promise<WebhookSubscriptionWithSecret> {
  const made = await of.request<WebhookSubscriptionWithSecret>('POST', '/v1/webhooks', {
    target_url,
    event_types: ['call.completed'],
    ...more,
  });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

/** Makes events; by default one call.completed. */
export async function happen(of: Client, body: Record<string, unknown> = {}): Promise<{ id: string }[]> {
  const made = await of.request<{ items: { id: string }[] }>('POST', '/v1/sandbox/events', {
    type: 'call.completed',
    ...body,
  });
  assert.equal(made.status, 201, made.text);
  return made.body.items;
}

/** An email domain of the organization, for subscriptions that are narrowed to one. */
export async function newEmailDomain(of: Client): Promise<string> {
  const made = await of.request<{ id: string }>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: `d${randomUUID()}.example.com`,
  });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

export async function advance(of: Client, advance_seconds: number): Promise<void> {
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

/** The delivery once it was tried so often. */
export async function tried(of: Client, subscription_id: string, id: string, attempts = 1) {
  for (;;) {
    const delivery = await deliveryOf(of, subscription_id, id);
    if (delivery.attempts.length >= attempts) return delivery;
    await wait(10);
  }
}

/** Of a subscription that has only one. */
export async function onlyDelivery(of: Client, subscription_id: string, attempts = 1) {
  const [made, ...more] = await deliveriesOf(of, subscription_id);
  assert.ok(made && more.length === 0);
  return tried(of, subscription_id, made.id, attempts);
}
