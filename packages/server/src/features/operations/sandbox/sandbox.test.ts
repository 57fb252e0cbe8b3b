// The sandbox: a clock that all processes share, and events on request.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { events } from '@parley/contract/event-types';
import type { SandboxClock } from '@parley/contract/operations/sandbox/sandbox';
import { startTestApp } from '../../../../testing/app.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { advanceClock, createEvents } from '../../../../testing/webhooks.ts';
import { buildApp } from '../../../app/app.ts';
import { readConfig } from '../../../config/config.ts';
import { openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeLog } from '../../../platform/log.ts';

const { app, db, client, organization, database_url, data_dir } = await startTestApp();
const read = async () => (await client.request<SandboxClock>('GET', '/v1/sandbox/clock')).body;

describe('the clock', () => {
  test('moves forward by the requested time, for every timestamp of the service', async () => {
    const before = await read();
    await advanceClock(client, 3600);
    const after = await read();
    const moved = Date.parse(after.now) - Date.parse(before.now);
    assert.ok(moved >= 3_600_000 && moved < 3_700_000, `${moved} ms`);
    assert.ok(after.offset_seconds - before.offset_seconds >= 3600);
    const [event] = (await createEvents(organization())) as unknown as { created_at: string }[];
    assert.ok(Date.parse(event!.created_at) >= Date.parse(after.now));
  });

  test('refuses zero, negative numbers and more than a year', async () => {
    for (const advance_seconds of [0, -1, 1.5, 367 * 86_400, '60', undefined]) {
      const refused = await client.request('POST', '/v1/sandbox/clock', { advance_seconds });
      assert.equal(refused.status, 422, String(advance_seconds));
    }
  });

  test('responds after the jobs that became due have run', async () => {
    const later = new Date(Date.parse((await read()).now) + 600_000);
    await app.jobs.enqueue(db, {
      kind: 'remove_webhook_deliveries',
      payload: { subscription_id: '019a8c1e-0000-7000-8000-000000000001' },
      run_at: later,
    });
    const waiting = () => db.rows(sql`select id from jobs where kind = 'remove_webhook_deliveries'`);
    assert.equal((await waiting()).length, 1);
    await advanceClock(client, 601);
    assert.deepEqual(await waiting(), []);
  });

  test('is the same for all processes', async () => {
    const other_db = openDatabase({ url: database_url, max_connections: 2 });
    const other = buildApp({
      config: readConfig({ PORT: '0', PARLEY_DATA_DIR: data_dir }, process.cwd()),
      db: other_db,
      log: makeLog({ level: 'silent', show_personal_data: false }),
      shared_key: 'other',
      master_keys: [{ id: 'test', key: randomBytes(32) }],
    });
    await other.prepare();
    const readOther = async () =>
      (
        await other.http.inject({ url: '/v1/sandbox/clock', headers: { authorization: 'Bearer other' } })
      ).json<SandboxClock>().offset_seconds;
    assert.equal(await readOther(), (await read()).offset_seconds);
    await advanceClock(client, 60);
    const { offset_seconds } = await read();
    await waitFor('the offset in the other process', async () => (await readOther()) === offset_seconds);
    await other.close();
    await other.http.close();
    await other_db.close();
  });

  test('moves of several callers add up', async () => {
    const before = (await read()).offset_seconds;
    await Promise.all([1, 2, 3].map((seconds) => advanceClock(client, seconds)));
    assert.ok((await read()).offset_seconds >= before + 6);
  });
});

describe('events on request', () => {
  test('of every type are the documented example', async () => {
    for (const [type, { example }] of Object.entries(events)) {
      const [event] = (await createEvents(organization(), { type })) as unknown as {
        type: string;
        data: unknown;
      }[];
      assert.deepEqual([event!.type, event!.data], [type, example]);
    }
  });

  test('can differ from the example as far as the schema allows', async () => {
    const answer = await client.request<{ errors: { path: string }[] }>('POST', '/v1/sandbox/events', {
      type: 'call.completed',
      data: { status: 'ringing bells', nonsense: 1 },
    });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.errors.map(({ path }) => path).sort(), ['body.data', 'body.data.status']);
  });

  test('come in any number up to the limit', async () => {
    assert.equal((await createEvents(organization(), { count: 1000 })).length, 1000);
    for (const count of [0, 1001]) {
      const refused = await client.request('POST', '/v1/sandbox/events', { type: 'call.busy', count });
      assert.equal(refused.status, 422);
    }
  });
});

test('with PARLEY_SANDBOX=off its paths respond with 404', async () => {
  const serious = await startTestApp({ PARLEY_SANDBOX: 'off' });
  for (const [method, path] of [
    ['GET', '/v1/sandbox/clock'],
    ['POST', '/v1/sandbox/clock'],
    ['POST', '/v1/sandbox/events'],
  ] as const) {
    const absent = await serious.client.request(method, path, method === 'POST' ? {} : undefined);
    assert.deepEqual([absent.status, absent.body.code], [404, 'not_found']);
  }
});

test('the sandbox is on with the embedded database and off with any other, unless it is set', () => {
  const sandbox = (environment: Record<string, string>) => readConfig(environment, '/').sandbox;
  const DATABASE_URL = 'postgres://127.0.0.1/parley';
  assert.equal(sandbox({}), true);
  assert.equal(sandbox({ DATABASE_URL }), false);
  assert.equal(sandbox({ DATABASE_URL, PARLEY_SANDBOX: 'on' }), true);
  assert.equal(sandbox({ PARLEY_SANDBOX: 'off' }), false);
});
