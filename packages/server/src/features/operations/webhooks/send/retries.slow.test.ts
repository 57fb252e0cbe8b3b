// Retries, dead deliveries, disabling and redelivery, over HTTP with a clock that the test moves.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebhookDelivery } from '@parley/contract/operations/webhooks/webhooks';
import { startTestApp } from '../../../../../testing/app.ts';
import { respondWith, startReceiver } from '../../../../../testing/receiver.ts';
import {
  advanceClock,
  createEvents,
  deliveriesOf,
  deliveryAfter,
  deliveryOf,
  newEmailDomain,
  newPath,
  onlyDelivery,
  subscribe,
  subscriptionOf,
} from '../../../../../testing/webhooks.ts';

const { organization } = await startTestApp();
const receiver = await startReceiver();

const day = 86_400;
const offsets = (attempts: { attempted_at: string }[]) =>
  attempts.map(
    ({ attempted_at }) => (Date.parse(attempted_at) - Date.parse(attempts[0]!.attempted_at)) / 1000,
  );

/** A subscription whose receiver fails every request, until the test changes its response. */
async function failing() {
  const own = organization();
  const path = newPath();
  receiver.on(path, respondWith(503, 'later'));
  return { own, path, ...(await subscribe(own, receiver.url + path)) };
}

describe('a delivery that fails', () => {
  test('is counted in the list of subscriptions at once, not only when it is dead (C5)', async () => {
    const { own, path, id } = await failing();
    const recent = async () => (await subscriptionOf(own, id)).recent_deliveries;
    const deliver = async () => {
      await createEvents(own);
      await deliveryAfter(own, id, (await deliveriesOf(own, id))[0]!.id);
    };
    const none = { count: 0, failed_count: 0, failing_since: null, last_failed_at: null, last_error: null };
    assert.deepEqual(await recent(), none);
    await deliver();
    const first = await recent();
    assert.deepEqual([first.count, first.failed_count, first.last_error], [1, 1, 'bad_status']);
    assert.ok(first.failing_since! <= first.last_failed_at!);
    receiver.on(path, respondWith(200));
    await deliver();
    const after_success = await recent();
    assert.deepEqual([after_success.count, after_success.failed_count], [2, 1]);
    assert.deepEqual(
      [after_success.failing_since, after_success.last_failed_at],
      [null, first.last_failed_at],
    );
  });

  test('is retried 30 seconds after the first attempt, and not before', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    const first = await onlyDelivery(own, id);
    assert.equal(first.status, 'pending');
    const due = Date.parse(first.next_attempt_at!) - Date.parse(first.attempts[0]!.attempted_at);
    assert.equal(due, 30_000);
    // Real time passes too, and on a busy machine much of it.
    await advanceClock(own, 10);
    assert.equal(receiver.at(path).length, 1);
    await advanceClock(own, 20);
    assert.equal(receiver.at(path).length, 2);
  });

  test('is tried seven times over a day, at the scheduled times, and is then dead', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    await onlyDelivery(own, id);
    await advanceClock(own, day + 60);
    const delivery = await onlyDelivery(own, id, 7);
    assert.deepEqual([delivery.status, delivery.attempt_count, delivery.next_attempt_at], ['dead', 7, null]);
    const ladder = [0, 30, 120, 600, 3600, 21_600, 86_400];
    for (const [index, offset] of offsets(delivery.attempts).entries()) {
      assert.ok(
        offset >= ladder[index]! && offset < ladder[index]! + 5,
        `attempt ${index + 1} at ${offset} s`,
      );
    }
    assert.deepEqual(
      delivery.attempts.map((attempt) => attempt.error),
      Array(7).fill('bad_status'),
    );
    assert.equal(receiver.at(path).length, 7);
    await advanceClock(own, 10 * day);
    assert.equal(receiver.at(path).length, 7);
  });

  test('has the same id and the same bytes on every attempt, and a new signature', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    await onlyDelivery(own, id);
    await advanceClock(own, 700);
    const requests = receiver.at(path);
    assert.equal(requests.length, 4);
    for (const { body, headers } of requests) {
      assert.ok(body.equals(requests[0]!.body));
      assert.equal(headers['x-service-delivery'], requests[0]!.headers['x-service-delivery']);
      const [, t] = /^t=(\d+)/.exec(String(headers['x-service-signature']))!;
      // Receivers compare it with their own clock, which the test did not move.
      assert.ok(Math.abs(Number(t) - Date.now() / 1000) < 60);
    }
  });

  test('is delivered by the first attempt that gets a 2xx', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    await onlyDelivery(own, id);
    receiver.on(path, respondWith(204));
    await advanceClock(own, 31);
    const delivery = await onlyDelivery(own, id, 2);
    assert.deepEqual([delivery.status, delivery.last_status_code], ['delivered', 204]);
    await advanceClock(own, day);
    assert.equal(receiver.at(path).length, 2);
  });

  test('waits while its subscription is disabled, and is retried when it is active again', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    await onlyDelivery(own, id);
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
    await advanceClock(own, 3600);
    assert.equal(receiver.at(path).length, 1);
    receiver.on(path, respondWith(200));
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'active' });
    assert.equal((await onlyDelivery(own, id, 2)).status, 'delivered');
  });
});

describe('fifty dead deliveries in a row', () => {
  test('disable an organization-wide subscription; activating it resets the streak', async () => {
    const { own, path, id } = await failing();
    await createEvents(own, { count: 49 });
    await advanceClock(own, day + 60);
    assert.deepEqual(await subscriptionOf(own, id).then(({ status, dead_streak }) => [status, dead_streak]), [
      'active',
      49,
    ]);
    await createEvents(own);
    await advanceClock(own, day + 60);
    const off = await subscriptionOf(own, id);
    assert.deepEqual([off.status, off.disabled_reason, off.dead_streak], ['disabled', 'kept_failing', 50]);

    await createEvents(own);
    assert.equal((await deliveriesOf(own, id, '?limit=200')).length, 50, 'nothing is queued while disabled');
    const on = await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'active' });
    assert.deepEqual([on.body.status, on.body.disabled_reason, on.body.dead_streak], ['active', null, 0]);
    receiver.on(path, respondWith(200));
    const [event] = await createEvents(own);
    const requests = await receiver.arrived(path, 351);
    assert.equal(requests.at(-1)!.json.id, event!.id);
  });

  test('leave a subscription to one email domain active', async () => {
    const own = organization();
    const path = newPath();
    receiver.on(path, respondWith(500));
    const email_domain_id = await newEmailDomain(own);
    const { id } = await subscribe(own, receiver.url + path, { email_domain_id });
    await createEvents(own, { count: 51, email_domain_id });
    await advanceClock(own, day + 60);
    const after = await subscriptionOf(own, id);
    assert.deepEqual([after.status, after.dead_streak], ['active', 51]);
  });

  test('are counted from zero after one successful delivery', async () => {
    const { own, path, id } = await failing();
    await createEvents(own, { count: 3 });
    await advanceClock(own, day + 60);
    assert.equal((await subscriptionOf(own, id)).dead_streak, 3);
    receiver.on(path, respondWith(200));
    await createEvents(own);
    await receiver.arrived(path, 22);
    await advanceClock(own, 1);
    assert.equal((await subscriptionOf(own, id)).dead_streak, 0);
  });
});

describe('redelivery', () => {
  const redeliver = async (
    own: Awaited<ReturnType<typeof failing>>['own'],
    id: string,
    delivery_id: string,
  ) => {
    const again = await own.request<WebhookDelivery>(
      'POST',
      `/v1/webhooks/${id}/deliveries/${delivery_id}/redeliver`,
    );
    assert.equal(again.status, 200, again.text);
    assert.equal(again.body.id, delivery_id);
    return again.body;
  };

  test('of a dead delivery sends the same bytes with the same id once, and can deliver it', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    await advanceClock(own, day + 60);
    const dead = await onlyDelivery(own, id, 7);
    assert.equal(dead.status, 'dead');

    assert.equal((await redeliver(own, id, dead.id)).status, 'pending');
    const failed = await deliveryAfter(own, id, dead.id, 8);
    assert.equal(failed.status, 'dead');
    assert.equal((await subscriptionOf(own, id)).dead_streak, 1, 'a failed redelivery counts no second time');

    receiver.on(path, respondWith(200));
    await redeliver(own, id, dead.id);
    assert.equal((await deliveryAfter(own, id, dead.id, 9)).status, 'delivered');
    assert.equal((await subscriptionOf(own, id)).dead_streak, 0);
    const requests = receiver.at(path);
    assert.ok(requests.every(({ body }) => body.equals(requests[0]!.body)));
    assert.deepEqual([...new Set(requests.map(({ headers }) => headers['x-service-delivery']))], [dead.id]);
  });

  test('of a delivered delivery sends it again, and it stays delivered', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    await createEvents(own);
    const { id: delivery_id } = await onlyDelivery(own, id);
    receiver.on(path, respondWith(500));
    assert.equal((await redeliver(own, id, delivery_id)).status, 'delivered');
    const after = await deliveryAfter(own, id, delivery_id, 2);
    assert.deepEqual([after.status, after.last_status_code], ['delivered', 500]);
    await advanceClock(own, day);
    assert.equal(receiver.at(path).length, 2);
  });

  test('of a pending delivery is an extra attempt outside of the retry schedule', async () => {
    const { own, path, id } = await failing();
    await createEvents(own);
    const { id: delivery_id, next_attempt_at } = await onlyDelivery(own, id);
    await redeliver(own, id, delivery_id);
    const after = await deliveryAfter(own, id, delivery_id, 2);
    assert.deepEqual([after.status, after.next_attempt_at], ['pending', next_attempt_at]);
    await advanceClock(own, day + 60);
    assert.equal((await deliveryOf(own, id, delivery_id)).status, 'dead');
    assert.equal(receiver.at(path).length, 8);
  });

  test('works for a disabled subscription', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    await createEvents(own);
    const { id: delivery_id } = await onlyDelivery(own, id);
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
    await redeliver(own, id, delivery_id);
    await deliveryAfter(own, id, delivery_id, 2);
  });

  test('requested during an attempt starts after that attempt', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    let finish = () => {};
    receiver.on(path, (response) => {
      finish = () => response.writeHead(200).end();
    });
    await createEvents(own);
    await receiver.arrived(path);
    const [created] = await deliveriesOf(own, id);
    await redeliver(own, id, created!.id);
    receiver.on(path, respondWith(200));
    finish();
    const after = await deliveryAfter(own, id, created!.id, 2);
    assert.equal(after.status, 'delivered');
    assert.equal(receiver.at(path).length, 2);
  });
});
