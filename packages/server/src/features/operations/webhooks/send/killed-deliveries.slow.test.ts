// A delivery that ends its process is set aside, and the others reach their receivers. Real processes die.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SetAsideWork } from '@parley/contract/operations/set-aside-work';
import { startTestApp } from '../../../../../testing/app.ts';
import { startProcess } from '../../../../../testing/dying-process.ts';
import { startReceiver } from '../../../../../testing/receiver.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import {
  createEvents,
  deliveriesOf,
  deliveryOf,
  newPath,
  subscribe,
} from '../../../../../testing/webhooks.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { app, client, operator, organization, db, database_url, data_dir } = await startTestApp(
  {},
  { master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }] },
);
// From here on this process only takes requests: the workers below send.
await app.workers.stop();

/** A worker that ends itself with SIGKILL when it connects to one port. */
const worker = (deadly_port: number) =>
  startProcess(
    `
    import { buildConnector } from 'undici';
    import { buildApp } from './src/app/app.ts';
    import { readConfig } from './src/config/config.ts';
    import { openDatabase } from './src/platform/db/database.ts';
    import { makeLog } from './src/platform/log.ts';
    import { codedSpeech } from './testing/calls.ts';
    const [, database_url, data_dir, shared_key, deadly_port] = process.argv;
    const real = buildConnector({ allowH2: false });
    const connect = (options, callback) => {
      if (options.hostname !== '127.0.0.1') return callback(new Error('not on loopback'), null);
      if (options.port !== deadly_port) return real(options, callback);
      process.stdout.write('deadly\\n');
      setImmediate(() => process.kill(process.pid, 'SIGKILL'));
    };
    const environment = {
      PARLEY_DATA_DIR: data_dir, PARLEY_SANDBOX: 'on', PARLEY_ROLES: 'worker', PORT: '0',
      WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8', DATABASE_URL: database_url,
    };
    const app = buildApp({
      config: readConfig(environment, process.cwd()),
      db: openDatabase({ url: database_url, max_connections: 5, connect_timeout_ms: 30_000, onError() {} }),
      log: makeLog({ level: 'fatal', show_personal_data: true }),
      shared_key,
      master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
      speech: () => codedSpeech(),
      webhook_network: { connect },
    });
    await app.prepare();
    await app.workers.start();
    process.stdout.write('ready\\n');
    `,
    database_url,
    data_dir,
    client.key,
    String(deadly_port),
  );

/** Instead of waiting for the leases of killed processes. */
const endLeases = () =>
  db.run(sql`update webhook_deliveries set claimable_at = now() where status = 'pending'`);
const path = '/v1/admin/set-aside-work';
const setAside = async () =>
  (await operator.request<{ items: SetAsideWork[] }>('GET', `${path}?queue=webhook_deliveries`)).body.items;

test('F2: a delivery that ends its process three times is set aside, the others arrive, and it can run again', {
  timeout: 280_000,
}, async () => {
  const [deadly, calm] = [await startReceiver(), await startReceiver()];
  const [bad, good] = [organization(), organization()];
  const { id: bad_id } = await subscribe(bad, deadly.url + newPath());
  const good_path = newPath();
  const { id: good_id } = await subscribe(good, calm.url + good_path);
  await createEvents(bad);
  const [lost] = await waitFor('the delivery', async () => {
    const deliveries = await deliveriesOf(bad, bad_id);
    return deliveries.length > 0 ? deliveries : null;
  });
  let deaths = 0;
  let sent = 0;
  for (let start = 0; start < 8; start++) {
    await createEvents(good, { count: 3 });
    sent += 3;
    await endLeases();
    const process = worker(deadly.port);
    const is_set_aside = waitFor('the end of the delivery', async () => (await setAside())[0] ?? null, {
      timeout_ms: 60_000,
    }).catch(() => null);
    const first = await Promise.race([process.prints('deadly'), is_set_aside]);
    if (first === 'deadly') {
      assert.equal((await process.exited).signal, 'SIGKILL');
      deaths++;
      continue;
    }
    await waitFor(
      'the others',
      async () => {
        const pending = await deliveriesOf(good, good_id, '?status=pending');
        return pending.length === 0;
      },
      { timeout_ms: 60_000 },
    );
    process.kill();
    await process.exited;
    break;
  }
  assert.equal(deaths, 3);
  const arrived = new Set(calm.at(good_path).map(({ headers }) => headers['x-service-delivery']));
  assert.equal(arrived.size, sent);
  const [entry, ...more] = await setAside();
  assert.deepEqual(
    [entry!.object_id, entry!.organization_id, entry!.kind, entry!.lost_runs, entry!.can_run_again, more],
    [lost!.id, bad.organization_id, 'call.completed', 3, true, []],
  );
  const ended = await deliveryOf(bad, bad_id, lost!.id);
  assert.deepEqual([ended.status, ended.attempt_count], ['dead', 0]);
  const redelivery = `/v1/webhooks/${bad_id}/deliveries/${lost!.id}/redeliver`;
  const refused = await bad.request('POST', redelivery);
  assert.deepEqual([refused.status, refused.body.code], [409, 'delivery_set_aside']);

  assert.equal((await operator.request('POST', `${path}/${entry!.id}/run`)).status, 204);
  assert.deepEqual(await setAside(), []);
  const survivor = worker(0);
  await waitFor(
    'the delivery arrives',
    async () => {
      const { status } = await deliveryOf(bad, bad_id, lost!.id);
      return status === 'delivered';
    },
    { timeout_ms: 60_000 },
  );
  survivor.kill();
  await survivor.exited;
  const starts = await db.rows(sql`select distinct starts from webhook_deliveries`);
  assert.deepEqual(starts, [{ starts: 0 }]);
});

test('F2: claims that a clean stop cuts, or that wait behind a slow receiver for too long, do not count as lost', {
  timeout: 120_000,
}, async () => {
  const stopping = await startTestApp({ WEBHOOK_TIMEOUT_SECONDS: '1' });
  const receiver = await startReceiver();
  const own = stopping.organization();
  const hook = newPath();
  receiver.on(hook, () => {});
  const { id } = await subscribe(own, receiver.url + hook);
  await createEvents(own, { count: 6 });
  await receiver.arrived(hook, 4);
  // The leases of those that wait are over.
  const moved = await own.request('POST', '/v1/sandbox/clock', { advance_seconds: 20 });
  assert.equal(moved.status, 200, moved.text);
  const attempts = receiver.at(hook).length;
  await stopping.db.run(sql`update webhook_deliveries set claimable_at = now() where status = 'pending'`);
  await receiver.arrived(hook, attempts + 1);
  await stopping.app.workers.stop();
  const rows = await stopping.db.rows(sql`
    select starts, count(*)::int as count from webhook_deliveries where subscription_id = ${id} group by starts`);
  assert.deepEqual(rows, [{ starts: 0, count: 6 }]);
});
