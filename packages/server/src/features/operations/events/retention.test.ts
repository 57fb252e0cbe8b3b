// Events and their deliveries are stored for the time that the operator sets, and deleted afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { startReceiver } from '../../../../testing/receiver.ts';
import { createEvents, deliveriesOf, newPath, subscribe } from '../../../../testing/webhooks.ts';

const { client, later } = await startTestApp({ PARLEY_EVENTS_KEPT_DAYS: '7' });
const receiver = await startReceiver();
const day_seconds = 86_400;

test('old events are deleted with their deliveries, newer ones stay', async () => {
  const path = newPath();
  const { id } = await subscribe(client, receiver.url + path);
  await createEvents(client, { count: 3 });
  await receiver.arrived(path, 3);
  await later(6 * day_seconds);
  const [young] = await createEvents(client);
  await receiver.arrived(path, 4);
  assert.equal((await deliveriesOf(client, id)).length, 4);

  await later(2 * day_seconds);
  const events = await client.request<{ items: { id: string }[] }>('GET', '/v1/events?type=call.completed');
  assert.deepEqual(
    events.body.items.map((event) => event.id),
    [young!.id],
  );
  assert.deepEqual(
    (await deliveriesOf(client, id)).map((delivery) => delivery.event_id),
    [young!.id],
  );
});
