// Webhook subscriptions and the format of a delivery, over HTTP with a real receiver.
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { events } from '@parley/contract/event-types';
import type {
  WebhookDelivery,
  WebhookSubscription,
  WebhookSubscriptionWithSecret,
} from '@parley/contract/operations/webhooks/webhooks';
import { loadVerifier, skipWithout } from '../../../../../../test/verifiers/load.ts';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { respondWith, startReceiver } from '../../../../testing/receiver.ts';
import {
  createEvents,
  deliveriesOf,
  deliveryAfter,
  newEmailDomain,
  newPath,
  subscribe as subscribeTo,
} from '../../../../testing/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';

type Problem = { code: string; detail: string; errors?: { path: string; code: string }[] };
type Page<T> = { items: T[]; next_cursor: string | null };

const { db, organization } = await startTestApp();
const receiver = await startReceiver();
type Verify = (body: Buffer, signature: string, secret: string) => { type: string };
type StripeClass = new (key: string) => { webhooks: { constructEvent: Verify } };
type WebhookClass = new (
  secret: string,
) => { verify(body: Buffer, headers: Record<string, string>): unknown };
const stripe_library = await loadVerifier<{ default: StripeClass }>('stripe');
const standard_library = await loadVerifier<{ Webhook: WebhookClass }>('standardwebhooks');
const skip = skipWithout('stripe', 'standardwebhooks');
const stripe = stripe_library && new stripe_library.default('sk_test_none');
const Webhook = standard_library?.Webhook as WebhookClass;

const subscribe = (of: Client, path: string, more: Record<string, unknown> = {}) =>
  subscribeTo(of, receiver.url + path, more);

describe('a subscription', () => {
  test('shows its secret when it is created and never again', async () => {
    const own = organization();
    const created = await subscribe(own, newPath());
    assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...rest } = created;
    const read = await own.request<WebhookSubscription>('GET', `/v1/webhooks/${created.id}`);
    assert.deepEqual(read.body, rest);
    const list = await own.request('GET', '/v1/webhooks');
    assert.deepEqual(list.body.items, [rest]);
    assert.ok(!list.text.includes(secret) && !read.text.includes(secret));
  });

  test('stores its secret encrypted in the database', async () => {
    const created = await subscribe(organization(), newPath());
    const row = await db.maybe<{ text: string }>(
      sql`select s::text as text from webhook_subscriptions s where id = ${created.id}`,
    );
    assert.ok(!row!.text.includes(created.secret.slice(6)));
    assert.match(row!.text, /v1\.test\./);
  });

  test('is refused with 422 when its event types are empty, unknown or absent', async () => {
    for (const event_types of [[], ['call.ringing'], undefined, 'call.completed']) {
      const refused = await organization().request<Problem>('POST', '/v1/webhooks', {
        target_url: receiver.url,
        event_types,
      });
      assert.equal(refused.status, 422, JSON.stringify(event_types));
      assert.match(refused.body.errors![0]!.path, /^body\.event_types/);
    }
  });

  test('lists an event type once when it is sent twice', async () => {
    const created = await subscribe(organization(), newPath(), { event_types: ['call.busy', 'call.busy'] });
    assert.deepEqual(created.event_types, ['call.busy']);
  });

  test('is refused with 422 when its target is not an allowed URL', async () => {
    const plain = { 'not a url': 'validation_failed', 'ftp://example.com/': 'validation_failed' };
    const secret_in_url = { 'https://ana:pw@example.com/': 'validation_failed' };
    const never = {
      'http://169.254.169.254/latest': 'target_not_allowed',
      'http://[fe80::1]/': 'target_not_allowed',
      'http://0.0.0.0/': 'target_not_allowed',
      'http://224.0.0.1/': 'target_not_allowed',
    };
    for (const [target_url, code] of Object.entries({ ...plain, ...secret_in_url, ...never })) {
      const refused = await organization().request<Problem>('POST', '/v1/webhooks', {
        target_url,
        event_types: ['call.busy'],
      });
      assert.equal(refused.status, 422, target_url);
      assert.equal(refused.body.code, code, target_url);
      assert.deepEqual(
        refused.body.errors?.map(({ path }) => path),
        ['body.target_url'],
      );
    }
  });

  test('can change its URL and its event types, and the next event uses them', async () => {
    const own = organization();
    const [before, after] = [newPath(), newPath()];
    const created = await subscribe(own, before);
    const changed = await own.request<WebhookSubscription>('PATCH', `/v1/webhooks/${created.id}`, {
      target_url: receiver.url + after,
      event_types: ['call.busy'],
    });
    assert.equal(changed.status, 200, changed.text);
    await createEvents(own);
    const [busy] = await createEvents(own, { type: 'call.busy' });
    const [request] = await receiver.arrived(after);
    assert.equal(request!.json.id, busy!.id);
    assert.deepEqual(receiver.at(before), []);
  });

  test('that is disabled gets none of the events of that time, also not later', async () => {
    const own = organization();
    const path = newPath();
    const created = await subscribe(own, path);
    const off = await own.request<WebhookSubscription>('PATCH', `/v1/webhooks/${created.id}`, {
      status: 'disabled',
    });
    assert.deepEqual([off.body.status, off.body.disabled_reason], ['disabled', 'switched_off']);
    await createEvents(own);
    assert.deepEqual(await deliveriesOf(own, created.id), []);
    const on = await own.request<WebhookSubscription>('PATCH', `/v1/webhooks/${created.id}`, {
      status: 'active',
    });
    assert.deepEqual([on.body.status, on.body.disabled_reason], ['active', null]);
    const [event] = await createEvents(own);
    const [request] = await receiver.arrived(path);
    assert.equal(request!.json.id, event!.id);
  });

  test('that is deleted is gone together with its delivery log', async () => {
    const own = organization();
    const path = newPath();
    const created = await subscribe(own, path);
    await createEvents(own);
    await receiver.arrived(path);
    assert.equal((await own.request('DELETE', `/v1/webhooks/${created.id}`)).status, 204);
    assert.equal((await own.request('GET', `/v1/webhooks/${created.id}`)).status, 404);
    assert.equal((await own.request('GET', `/v1/webhooks/${created.id}/deliveries`)).status, 404);
    await createEvents(own);
    const left = () =>
      db.rows(
        sql`select id from webhook_deliveries where subscription_id = ${created.id} and status = 'pending'`,
      );
    assert.deepEqual(await left(), []);
  });

  test('to one email domain receives only events of that domain', async () => {
    const own = organization();
    const [narrow, wide] = [newPath(), newPath()];
    const email_domain_id = await newEmailDomain(own);
    const created = await subscribe(own, narrow, { email_domain_id });
    assert.equal(created.email_domain_id, email_domain_id);
    await subscribe(own, wide);
    await createEvents(own);
    await createEvents(own, { email_domain_id: randomUUID() });
    const [mine] = await createEvents(own, { email_domain_id, email_domain: 'mail.example.com' });
    await receiver.arrived(wide, 3);
    const requests = await receiver.arrived(narrow);
    assert.deepEqual(
      requests.map((request) => request.json.id),
      [mine!.id],
    );
    assert.equal(requests[0]!.headers['x-service-email-domain'], 'mail.example.com');
    assert.equal(
      receiver.at(wide).filter((request) => 'x-service-email-domain' in request.headers).length,
      1,
    );
  });

  test('cannot be for an email domain that does not exist or belongs to another organization', async () => {
    for (const email_domain_id of [randomUUID(), await newEmailDomain(organization())]) {
      const refused = await organization().request<Problem>('POST', '/v1/webhooks', {
        target_url: receiver.url,
        event_types: ['call.busy'],
        email_domain_id,
      });
      assert.equal(refused.status, 422);
      assert.deepEqual(
        refused.body.errors?.map(({ path }) => path),
        ['body.email_domain_id'],
      );
    }
  });

  test('receives events of its own organization only', async () => {
    const [own, other] = [organization(), organization()];
    const path = newPath();
    await subscribe(own, path);
    await createEvents(other);
    const [event] = await createEvents(own);
    const requests = await receiver.arrived(path);
    assert.deepEqual(
      requests.map((request) => request.json.id),
      [event!.id],
    );
  });
});

describe('a delivery', () => {
  test('has the documented headers, the envelope and a signature over the raw bytes', async () => {
    const own = organization();
    const path = newPath();
    const { id, secret } = await subscribe(own, path);
    const before = Math.floor(Date.now() / 1000);
    const [event] = await createEvents(own, { data: { to: '+15005550009', metadata: { note: 'Zoë ✓' } } });
    const [{ headers, body, json }] = (await receiver.arrived(path)) as [(typeof receiver.requests)[0]];
    const [delivery] = await deliveriesOf(own, id);

    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-service-event'], 'call.completed');
    assert.equal(headers['x-service-delivery'], delivery!.id);
    assert.equal(headers['x-service-subscription'], id);
    assert.equal(headers['x-service-email-domain'], undefined);
    assert.equal(headers['webhook-id'], delivery!.id);

    assert.deepEqual(Object.keys(json), [
      'id',
      'type',
      'api_version',
      'created_at',
      'organization_id',
      'data',
    ]);
    assert.equal(json.id, event!.id);
    assert.equal(json.api_version, '2026-06-06');
    assert.equal(json.organization_id, own.organization_id);
    assert.deepEqual(json.data, {
      ...events['call.completed'].example,
      to: '+15005550009',
      metadata: { note: 'Zoë ✓' },
    });

    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-service-signature']))!;
    assert.ok(Number(t) >= before && Number(t) <= Date.now() / 1000);
    assert.equal(v1, createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'));
    assert.equal(headers['webhook-timestamp'], t);
  });

  test('is accepted by the stripe and the standardwebhooks libraries, and rejected when a byte changes', {
    skip,
  }, async () => {
    const own = organization();
    const path = newPath();
    const { secret } = await subscribe(own, path);
    await createEvents(own);
    const [{ headers, body }] = (await receiver.arrived(path)) as [(typeof receiver.requests)[0]];
    const signature = String(headers['x-service-signature']);
    assert.equal(stripe!.webhooks.constructEvent(body, signature, secret).type, 'call.completed');
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string };
    assert.equal(verified.type, 'call.completed');

    const changed = Buffer.from(body.toString().replace('completed', 'complexed'));
    assert.throws(() => stripe!.webhooks.constructEvent(changed, signature, secret));
    assert.throws(() => new Webhook(secret).verify(changed, headers as Record<string, string>));
  });

  test('is signed with both secrets for a day after a rotation, and then with the new one only', {
    skip,
  }, async () => {
    const own = organization();
    const path = newPath();
    const first = await subscribe(own, path);
    const rotated = await own.request<WebhookSubscriptionWithSecret>(
      'POST',
      `/v1/webhooks/${first.id}/rotate-secret`,
    );
    assert.equal(rotated.status, 200, rotated.text);
    assert.notEqual(rotated.body.secret, first.secret);
    assert.ok(rotated.body.previous_secret_expires_at);
    await createEvents(own);
    const [{ headers, body }] = (await receiver.arrived(path)) as [(typeof receiver.requests)[0]];
    assert.equal(String(headers['x-service-signature']).split('v1=').length, 3);
    for (const secret of [first.secret, rotated.body.secret]) {
      stripe!.webhooks.constructEvent(body, String(headers['x-service-signature']), secret);
      new Webhook(secret).verify(body, headers as Record<string, string>);
    }
    await db.run(
      sql`update webhook_subscriptions set previous_secret_expires_at = now() - interval '1 second' where id = ${first.id}`,
    );
    // Any change makes the sender reload the subscription.
    await own.request('PATCH', `/v1/webhooks/${first.id}`, {});
    await createEvents(own);
    const [, later] = await receiver.arrived(path, 2);
    const signature = String(later!.headers['x-service-signature']);
    assert.throws(() => stripe!.webhooks.constructEvent(later!.body, signature, first.secret));
    stripe!.webhooks.constructEvent(later!.body, signature, rotated.body.secret);
  });

  test('is logged with the response of the receiver, truncated to 4 KiB', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, path);
    receiver.on(path, respondWith(200, `ok\0${'é'.repeat(5000)}`));
    await createEvents(own);
    const [created] = await deliveriesOf(own, id);
    const delivery = await deliveryAfter(own, id, created!.id);
    assert.deepEqual(
      [delivery.status, delivery.attempt_count, delivery.last_status_code, delivery.last_error],
      ['delivered', 1, 200, null],
    );
    assert.equal(delivery.next_attempt_at, null);
    assert.ok(delivery.delivered_at);
    const { response_body, duration_ms, status_code, error } = delivery.attempts[0]!;
    assert.deepEqual([status_code, error], [200, null]);
    assert.ok(duration_ms >= 0);
    assert.match(response_body!, /^ok\ufffdé{2046}$/);
  });

  test('list filters by status and pages', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, path);
    await createEvents(own, { count: 5 });
    await receiver.arrived(path, 5);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await own.request<Page<WebhookDelivery>>(
        'GET',
        `/v1/webhooks/${id}/deliveries?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.items.map((delivery) => delivery.id));
      cursor = page.body.next_cursor ?? '';
    } while (cursor);
    assert.equal(new Set(seen).size, 5);
    assert.deepEqual(seen, [...seen].sort().reverse());
    for (const delivery of seen) await deliveryAfter(own, id, delivery);
    assert.equal((await deliveriesOf(own, id, '?status=delivered')).length, 5);
    assert.deepEqual(await deliveriesOf(own, id, '?status=dead'), []);
    assert.equal((await own.request('GET', `/v1/webhooks/${id}/deliveries?status=lost`)).status, 422);
  });

  test('of one subscription is not found under another', async () => {
    const own = organization();
    const [first, second] = [await subscribe(own, newPath()), await subscribe(own, newPath())];
    await createEvents(own);
    const [delivery] = await deliveriesOf(own, first.id);
    assert.equal(
      (await own.request('GET', `/v1/webhooks/${second.id}/deliveries/${delivery!.id}`)).status,
      404,
    );
  });
});

describe('a test', () => {
  test('sends the example of the first event type to that subscription alone, outside the event log', async () => {
    const own = organization();
    const [path, other] = [newPath(), newPath()];
    const { id, secret } = await subscribe(own, path, { event_types: ['call.busy', 'call.failed'] });
    await subscribe(own, other, { event_types: ['call.busy'] });
    const created = await own.request<WebhookDelivery>('POST', `/v1/webhooks/${id}/test`);
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.is_test, true);
    const [request] = await receiver.arrived(path);
    assert.equal(request!.headers['x-service-delivery'], created.body.id);
    assert.deepEqual(request!.json.data, events['call.busy'].example);
    stripe?.webhooks.constructEvent(request!.body, String(request!.headers['x-service-signature']), secret);
    assert.equal((await deliveryAfter(own, id, created.body.id)).status, 'delivered');
    assert.deepEqual((await own.request<Page<unknown>>('GET', '/v1/events')).body.items, []);
    assert.deepEqual(receiver.at(other), []);
  });

  test('that fails is tried once and does not count as a dead delivery', async () => {
    const own = organization();
    const path = newPath();
    receiver.on(path, respondWith(500, 'no'));
    const { id } = await subscribe(own, path);
    const created = await own.request<WebhookDelivery>('POST', `/v1/webhooks/${id}/test`);
    const delivery = await deliveryAfter(own, id, created.body.id);
    assert.deepEqual(
      [delivery.status, delivery.attempt_count, delivery.last_error],
      ['dead', 1, 'bad_status'],
    );
    assert.equal((await own.request<WebhookSubscription>('GET', `/v1/webhooks/${id}`)).body.dead_streak, 0);
  });
});
