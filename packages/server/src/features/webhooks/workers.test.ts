// Several processes on one database, their deaths, and receivers that hang.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { answer, startReceiver } from '../../../testing/receiver.ts';
import {
  advance,
  deliveriesOf,
  deliveryOf,
  happen,
  newPath,
  subscribe,
  tried,
} from '../../../testing/webhooks.ts';
import { type AppOptions, buildApp } from '../../app/app.ts';
import { readConfig } from '../../config/config.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { makeLog } from '../../platform/log.ts';

const master_keys = [{ id: 'test', key: randomBytes(32) }];
const { client, db, organization, database_url, data_dir } = await startTestApp({}, { master_keys });
const receiver = await startReceiver();

/** Another process on the same database, as far as one process can be two. */
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

const ends = async (own: Client, id: string, count: number) => {
  for (;;) {
    const deliveries = await deliveriesOf(own, id, '?limit=200&status=delivered');
    if (deliveries.length >= count) return deliveries;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe('with several workers', () => {
  test('what a process without them makes is found, and sent exactly once while nobody dies', async () => {
    const others = [anotherApp(), anotherApp()];
    for (const { app } of others) await app.workers.start();
    const api_only = anotherApp();
    const path = newPath();
    const { id } = await subscribe(client, receiver.url + path);
    const making = Array.from({ length: 10 }, () =>
      api_only.app.http.inject({
        method: 'POST',
        url: '/v1/sandbox/events',
        headers: { authorization: 'Bearer none' },
        payload: { type: 'call.completed', count: 15 },
      }),
    );
    for (const made of await Promise.all(making)) assert.equal(made.statusCode, 201);
    await ends(client, id, 150);
    const ids = receiver.at(path).map((request) => request.headers['x-service-delivery']);
    assert.equal(ids.length, 150);
    assert.equal(new Set(ids).size, 150);
    for (const { app, end } of [...others, api_only]) {
      await app.http.close();
      await app.workers.stop();
      await end();
    }
  });

  test('what a killed process had claimed is done by another when the lease ends', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
    const made = await own.request<{ id: string }>('POST', `/v1/webhooks/${id}/test`);
    await tried(own, id, made.body.id);
    // As a process leaves it that dies between claim and answer.
    await db.run(sql`
      update webhook_deliveries
         set status = 'pending', is_manual = false, ladder_left = 7, is_leased = true, claim_no = claim_no + 1,
             claimable_at = now() + interval '20 seconds', attempts = '[]', delivered_at = null
       where id = ${made.body.id}`);
    await own.request('PATCH', `/v1/webhooks/${id}`, { status: 'active' });
    assert.equal((await deliveryOf(own, id, made.body.id)).attempt_count, 0);
    await advance(own, 60);
    const after = await deliveryOf(own, id, made.body.id);
    assert.deepEqual([after.status, after.attempt_count], ['delivered', 1]);
  });

  test('an event in the hands of a process that is killed reaches everybody when its time is over', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    const [event] = await happen(own);
    await ends(own, id, 1);
    // As a process leaves it that dies right after the commit.
    await db.run(sql`delete from webhook_deliveries where subscription_id = ${id}`);
    await db.run(sql`
      insert into webhook_hand_offs (held_until, id, organization_id, event_ids, subscription_ids)
      values (now() + interval '20 seconds', ${event!.id}, ${own.organization_id}, ${[event!.id]}::uuid[],
              ${[id, randomUUID()]}::uuid[])`);
    const [waiting] = await deliveriesOf(own, id);
    assert.deepEqual([waiting!.status, waiting!.attempt_count], ['pending', 0]);
    await advance(own, 60);
    const [after, ...more] = await deliveriesOf(own, id);
    assert.deepEqual(
      [after!.id, after!.status, after!.attempt_count, more],
      [waiting!.id, 'delivered', 1, []],
    );
    const sent = receiver.at(path).map(({ headers }) => headers['x-service-delivery']);
    assert.deepEqual(sent, [waiting!.id, waiting!.id]);
    assert.deepEqual(await db.rows(sql`select 1 from webhook_hand_offs where id = ${event!.id}`), []);
  });

  test('of events that a killed process held together, those it had written down are not sent again', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    const events = [...(await happen(own)), ...(await happen(own))];
    await ends(own, id, 2);
    const [lost, written] = await deliveriesOf(own, id);
    await db.run(sql`delete from webhook_deliveries where id = ${lost!.id}`);
    await db.run(sql`
      insert into webhook_hand_offs (held_until, id, organization_id, event_ids, subscription_ids)
      values (now() - interval '1 second', ${events[0]!.id}, ${own.organization_id},
              ${events.map((event) => event.id)}::uuid[], ${[id]}::uuid[])`);
    await advance(own, 1);
    assert.deepEqual(
      (await deliveriesOf(own, id)).map((each) => [each.id, each.status, each.attempt_count]),
      [lost!.id, written!.id].map((delivery_id) => [delivery_id, 'delivered', 1]),
    );
    const sent = receiver.at(path).map(({ headers }) => headers['x-service-delivery']);
    assert.deepEqual(sent.sort(), [lost!.id, lost!.id, written!.id].sort());
  });

  test('a late word from a process that lost its lease changes nothing', async () => {
    const own = organization();
    const path = newPath();
    let finish = () => {};
    receiver.on(path, (response) => {
      finish = () => response.writeHead(500).end();
    });
    const { id } = await subscribe(own, receiver.url + path);
    await happen(own);
    await receiver.arrived(path);
    const [made] = await deliveriesOf(own, id);
    await db.run(sql`
      update webhook_deliveries set claim_no = claim_no + 1, status = 'delivered', delivered_at = now()
       where id = ${made!.id}`);
    finish();
    await advance(own, 1);
    const after = await deliveryOf(own, id, made!.id);
    assert.deepEqual([after.status, after.attempt_count], ['delivered', 0]);
  });
});

test('a database that keeps results waiting holds sending back, and all is sent once it takes them', async () => {
  const own = organization();
  const path = newPath();
  const { id } = await subscribe(own, receiver.url + path);
  // A receiver that has answered before is trusted with all of them at once.
  await happen(own);
  await ends(own, id, 1);
  const held: (() => void)[] = [];
  receiver.on(path, (response) => void held.push(() => response.writeHead(200).end()));
  for (let round = 0; round < 6; round++) await happen(own, { count: 1000 });
  await db.transaction(async (tx) => {
    // Results can no longer be written.
    await tx.run(sql`lock table webhook_deliveries in share mode`);
    receiver.on(path, answer(200));
    for (const release of held) release();
    await receiver.arrived(path, 5000);
    // It stops by itself: nothing more arrives, although more is waiting.
    for (let quiet = 0, before = 0; quiet < 30; quiet++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (receiver.at(path).length !== before) quiet = 0;
      before = receiver.at(path).length;
    }
    assert.ok(receiver.at(path).length < 6000);
  });
  await receiver.arrived(path, 6001);
  assert.equal(new Set(receiver.at(path).map(({ headers }) => headers['x-service-delivery'])).size, 6001);
  await advance(own, 1);
  assert.deepEqual(await deliveriesOf(own, id, '?status=pending'), []);
});

describe('a graceful stop', () => {
  test('gives back what was not sent and what it had to cut off, at once and uncounted', async () => {
    const leaving = await startTestApp({}, { master_keys });
    const own = leaving.organization();
    const path = newPath();
    receiver.on(path, () => {});
    const { id } = await subscribe(own, receiver.url + path);
    await happen(own, { count: 30 });
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
  test('do not keep deliveries from those that answer', async () => {
    const [hanging, healthy] = [organization(), organization()];
    const path = newPath();
    const holes: string[] = [];
    for (let i = 0; i < 20; i++) {
      const hole = newPath();
      receiver.on(hole, () => {});
      holes.push((await subscribe(hanging, receiver.url + hole)).id);
    }
    const { id } = await subscribe(healthy, receiver.url + path);
    await happen(hanging, { count: 50 });
    await happen(healthy, { count: 100 });
    // Every hanging attempt lasts 15 s; the healthy ones are done long before the first of those ends.
    await ends(healthy, id, 100);
    for (const hole of holes) {
      const waiting = await deliveriesOf(hanging, hole, '?limit=200&status=pending');
      assert.deepEqual([waiting.length, waiting.every((each) => each.attempt_count === 0)], [50, true]);
    }
    await db.run(sql`
      update webhook_subscriptions set status = 'disabled' where organization_id = ${hanging.organization_id}`);
  });
});

test('a burst to one receiver holds about as many connections as it has deliveries on the way', async () => {
  const own = organization();
  const path = newPath();
  const sockets = new Set<unknown>();
  receiver.on(path, (response, _, socket) => {
    sockets.add(socket);
    response.end();
  });
  await subscribe(own, receiver.url + path);
  for (let i = 0; i < 12; i++) await happen(own, { count: 250 });
  await receiver.arrived(path, 3000);
  // 64 at a time, as the lanes allow; a few more where one was closed.
  assert.ok(sockets.size <= 80, `${sockets.size} connections`);
});
