// Several processes on one database, crashes, and receivers that hang.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { startReceiver } from '../../../../../testing/receiver.ts';
import { pause, waitFor } from '../../../../../testing/wait-for.ts';
import {
  advanceClock,
  createEvents,
  deliveriesOf,
  deliveryAfter,
  deliveryOf,
  newPath,
  subscribe,
} from '../../../../../testing/webhooks.ts';
import { type AppOptions, buildApp } from '../../../../app/app.ts';
import { readConfig } from '../../../../config/config.ts';
import { openDatabase } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { makeLog } from '../../../../platform/log.ts';

const master_keys = [{ id: 'test', key: randomBytes(32) }];
const { client, db, organization, database_url, data_dir } = await startTestApp({}, { master_keys });
const receiver = await startReceiver();

/** A second app on the same database, in place of a second process. */
function anotherApp(options: Partial<AppOptions> = {}) {
  const own_db = openDatabase({ url: database_url, max_connections: 4 });
  const app = buildApp({
    config: readConfig({ PORT: '0', PARLEY_DATA_DIR: data_dir }, process.cwd()),
    db: own_db,
    log: makeLog({ level: 'silent', show_personal_data: false }),
    shared_key: 'none',
    master_keys,
    ...options,
  });
  return { app, end: () => own_db.close() };
}

const delivered = (own: Client, id: string, count: number) =>
  waitFor(`${count} deliveries`, async () => {
    const deliveries = await deliveriesOf(own, id, '?limit=200&status=delivered');
    return deliveries.length >= count ? deliveries : null;
  });

describe('with several workers', () => {
  test('events of a process without workers are found, and sent exactly once while no process crashes', async () => {
    const others = [anotherApp(), anotherApp()];
    for (const { app } of others) await app.workers.start();
    const api_only = anotherApp();
    const path = newPath();
    const { id } = await subscribe(client, receiver.url + path);
    const creating = Array.from({ length: 10 }, () =>
      api_only.app.http.inject({
        method: 'POST',
        url: '/v1/sandbox/events',
        headers: { authorization: 'Bearer none' },
        payload: { type: 'call.completed', count: 15 },
      }),
    );
    for (const created of await Promise.all(creating)) assert.equal(created.statusCode, 201);
    await delivered(client, id, 150);
    const ids = receiver.at(path).map((request) => request.headers['x-service-delivery']);
    assert.equal(ids.length, 150);
    assert.equal(new Set(ids).size, 150);
    for (const { app, end } of [...others, api_only]) {
      await app.http.close();
      await app.workers.stop();
      await end();
    }
  });

  test('what a killed process had claimed is sent by another process after the lease', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
    const created = await own.request<{ id: string }>('POST', `/v1/webhooks/${id}/test`);
    await deliveryAfter(own, id, created.body.id);
    // The state that a process leaves when it crashes between the claim and the response.
    await db.run(sql`
      update webhook_deliveries
         set status = 'pending', is_manual = false, ladder_left = 7, is_leased = true, claim_no = claim_no + 1,
             claimable_at = now() + interval '20 seconds', attempts = '[]', delivered_at = null
       where id = ${created.body.id}`);
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'active' });
    assert.equal((await deliveryOf(own, id, created.body.id)).attempt_count, 0);
    await advanceClock(own, 60);
    const after = await deliveryOf(own, id, created.body.id);
    assert.deepEqual([after.status, after.attempt_count], ['delivered', 1]);
  });

  test('an event leased by a killed process reaches every subscriber after the lease', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    const [event] = await createEvents(own);
    await delivered(own, id, 1);
    // The state that a process leaves when it crashes right after the commit.
    await db.run(sql`delete from webhook_deliveries where subscription_id = ${id}`);
    await db.run(sql`
      insert into event_leases (held_until, id, organization_id, event_ids, subscription_ids)
      values (now() + interval '20 seconds', ${event!.id}, ${own.organization_id}, ${[event!.id]}::uuid[],
              ${[id, randomUUID()]}::uuid[])`);
    const [waiting] = await deliveriesOf(own, id);
    assert.deepEqual([waiting!.status, waiting!.attempt_count], ['pending', 0]);
    await advanceClock(own, 60);
    const [after, ...more] = await deliveriesOf(own, id);
    assert.deepEqual(
      [after!.id, after!.status, after!.attempt_count, more],
      [waiting!.id, 'delivered', 1, []],
    );
    const sent = receiver.at(path).map(({ headers }) => headers['x-service-delivery']);
    assert.deepEqual(sent, [waiting!.id, waiting!.id]);
    assert.deepEqual(await db.rows(sql`select 1 from event_leases where id = ${event!.id}`), []);
  });

  test('of the events in one lease of a killed process, those with a stored result are not sent again', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    const events = [...(await createEvents(own)), ...(await createEvents(own))];
    await delivered(own, id, 2);
    const [lost, written] = await deliveriesOf(own, id);
    await db.run(sql`delete from webhook_deliveries where id = ${lost!.id}`);
    await db.run(sql`
      insert into event_leases (held_until, id, organization_id, event_ids, subscription_ids)
      values (now() - interval '1 second', ${events[0]!.id}, ${own.organization_id},
              ${events.map((event) => event.id)}::uuid[], ${[id]}::uuid[])`);
    await advanceClock(own, 1);
    assert.deepEqual(
      (await deliveriesOf(own, id)).map((each) => [each.id, each.status, each.attempt_count]),
      [lost!.id, written!.id].map((delivery_id) => [delivery_id, 'delivered', 1]),
    );
    const sent = receiver.at(path).map(({ headers }) => headers['x-service-delivery']);
    assert.deepEqual(sent.sort(), [lost!.id, lost!.id, written!.id].sort());
  });

  test('a late result from a process that lost its lease changes nothing', async () => {
    const own = organization();
    const path = newPath();
    let finish = () => {};
    receiver.on(path, (response) => {
      finish = () => response.writeHead(500).end();
    });
    const { id } = await subscribe(own, receiver.url + path);
    await createEvents(own);
    await receiver.arrived(path);
    const [created] = await deliveriesOf(own, id);
    await db.run(sql`
      update webhook_deliveries set claim_no = claim_no + 1, status = 'delivered', delivered_at = now()
       where id = ${created!.id}`);
    finish();
    await advanceClock(own, 1);
    const after = await deliveryOf(own, id, created!.id);
    assert.deepEqual([after.status, after.attempt_count], ['delivered', 0]);
  });
});

test('while the database cannot store results sending pauses, and everything is sent afterwards', async () => {
  const limited = await startTestApp({}, { webhook_limits: { max_unstored: 300 } });
  const own = limited.organization();
  const path = newPath();
  const { id } = await subscribe(own, receiver.url + path);
  // A receiver with a successful delivery may have all of them queued.
  await createEvents(own);
  await delivered(own, id, 1);
  await limited.db.transaction(async (tx) => {
    // From here on results cannot be stored.
    await tx.run(sql`lock table webhook_deliveries in share mode`);
    await createEvents(own, { count: 1000 });
    await receiver.arrived(path, 300);
    // Sending stops by itself: nothing more arrives, although more is queued.
    for (let quiet = 0, before = 0; quiet < 30; quiet++) {
      await pause(10, 'proves that nothing more arrives');
      if (receiver.at(path).length !== before) quiet = 0;
      before = receiver.at(path).length;
    }
    assert.ok(receiver.at(path).length < 1000);
  });
  // At least once: a delivery whose lease ended meanwhile arrives twice, with the same id.
  const arrived = () => new Set(receiver.at(path).map(({ headers }) => headers['x-service-delivery'])).size;
  await waitFor('all events arrived', () => arrived() >= 1001);
  assert.equal(arrived(), 1001);
  await advanceClock(own, 1);
  await waitFor(
    'all results are stored',
    async () => (await deliveriesOf(own, id, '?status=pending')).length === 0,
  );
});

describe('a graceful stop', () => {
  test('releases what was not sent and what it aborted, immediately and without counting an attempt', async () => {
    const leaving = await startTestApp({}, { master_keys });
    const own = leaving.organization();
    const path = newPath();
    receiver.on(path, () => {});
    const { id } = await subscribe(own, receiver.url + path);
    await createEvents(own, { count: 30 });
    await receiver.arrived(path, 4);
    await leaving.app.workers.stop();
    const rows = await leaving.db.rows<{
      is_leased: boolean;
      due: boolean;
      attempts: string;
      status: string;
    }>(sql`
      select is_leased, claimable_at <= clock_timestamp() as due, attempts, status
        from webhook_deliveries where subscription_id = ${id}`);
    assert.equal(rows.length, 30);
    for (const row of rows)
      assert.deepEqual(row, { is_leased: false, due: true, attempts: '[]', status: 'pending' });
  });
});

describe('receivers that hang', () => {
  test('do not delay deliveries to receivers that respond', async () => {
    const [hanging, healthy] = [organization(), organization()];
    const path = newPath();
    const hanging_ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      const hanging_path = newPath();
      receiver.on(hanging_path, () => {});
      hanging_ids.push((await subscribe(hanging, receiver.url + hanging_path)).id);
    }
    const { id } = await subscribe(healthy, receiver.url + path);
    await createEvents(hanging, { count: 50 });
    await createEvents(healthy, { count: 100 });
    // Every hanging attempt lasts 15 s; the healthy deliveries finish long before the first of them ends.
    await delivered(healthy, id, 100);
    for (const subscription_id of hanging_ids) {
      const waiting = await deliveriesOf(hanging, subscription_id, '?limit=200&status=pending');
      assert.deepEqual([waiting.length, waiting.every((each) => each.attempt_count === 0)], [50, true]);
    }
    await db.run(sql`
      update webhook_subscriptions set status = 'disabled' where organization_id = ${hanging.organization_id}`);
  });
});

test('a burst to one receiver opens about as many connections as it has attempts in flight', async () => {
  const own = organization();
  const path = newPath();
  const sockets = new Set<unknown>();
  receiver.on(path, (response, _, socket) => {
    sockets.add(socket);
    response.end();
  });
  await subscribe(own, receiver.url + path);
  for (let i = 0; i < 4; i++) await createEvents(own, { count: 250 });
  await receiver.arrived(path, 1000);
  // At most 64 at a time, the limit of one queue. On a loaded machine some are closed and opened again.
  assert.ok(sockets.size <= 160, `${sockets.size} connections`);
});
