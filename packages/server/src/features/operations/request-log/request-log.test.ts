// The request log: what became of a request can be read by its id and by the object that it is about, for some days.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { LoggedRequest } from '@parley/contract/operations/request-log';
import { startTestApp } from '../../../../testing/app.ts';
import { sql } from '../../../platform/db/sql.ts';
import { writeBehind } from './write-behind.ts';

const app = await startTestApp({ PARLEY_REQUEST_LOG_READS: 'on' });
const { client } = app;
const text = { to: '+15005550001', body: 'Hello', recipient_consent: true };
const logged = (id: string, by = client) => by.request<LoggedRequest>('GET', `/v1/requests/${id}`);

test('a request is found by its id, with credential, object and duration, but without its query', async () => {
  const sent = await client.request<{ id: string }>('POST', '/v1/sms', text);
  const id = sent.headers.get('x-request-id')!;
  const { body } = await logged(id);
  assert.equal(body.request_id, id);
  assert.deepEqual(
    [body.method, body.path, body.route, body.operation],
    ['POST', '/v1/sms', '/v1/sms', 'sms.create'],
  );
  assert.deepEqual([body.status, body.code, body.object_id], [201, null, sent.body.id]);
  assert.equal(body.credential_kind, 'shared_key');
  assert.ok(body.duration_ms > 0);
  assert.equal(body.verdict, null);
  const read = await client.request('GET', `/v1/sms/${sent.body.id}`);
  const list = await client.request('GET', '/v1/sms?to=%2B15005550001');
  assert.equal((await logged(read.headers.get('x-request-id')!)).body.route, '/v1/sms/{sms_id}');
  assert.equal((await logged(list.headers.get('x-request-id')!)).body.path, '/v1/sms');
});

test('reads that succeed are not logged unless the operator wants it; refused ones and changes always are', async () => {
  const { client: by } = await startTestApp();
  const sent = await by.request<{ id: string }>('POST', '/v1/sms', text);
  const read = await by.request('GET', `/v1/sms/${sent.body.id}`);
  const refused = await by.request('GET', `/v1/sms/${randomUUID()}`);
  const statuses = [];
  for (const { headers } of [sent, read, refused])
    statuses.push((await logged(headers.get('x-request-id')!, by)).status);
  assert.deepEqual([sent.status, read.status, refused.status], [201, 200, 404]);
  assert.deepEqual(statuses, [200, 404, 200]);
});

test('a refused request has its code and a verdict', async () => {
  const id = randomUUID();
  const { recipient_consent: _, ...without } = text;
  const refused = await client.request('POST', '/v1/sms', without, { 'x-request-id': id });
  assert.equal(refused.status, 422);
  const { body } = await logged(id);
  assert.deepEqual([body.status, body.code], [422, refused.body.code]);
  assert.equal(body.verdict!.who, 'you');
  assert.ok(body.verdict!.fix.length > 10);
});

test('requests about an object are listed, newest first', async () => {
  const sent = await client.request<{ id: string }>('POST', '/v1/sms', text);
  await client.request('POST', `/v1/sms/${sent.body.id}/cancel`);
  const { body } = await client.request<{ items: LoggedRequest[] }>(
    'GET',
    `/v1/requests?object_id=${sent.body.id}`,
  );
  assert.deepEqual(
    body.items.map(({ operation }) => operation),
    ['sms.cancel', 'sms.create'],
  );
});

test('the requests of another organization, without a credential and to health checks are not found', async () => {
  const id = randomUUID();
  await client.request('GET', '/v1/sms', undefined, { 'x-request-id': id });
  assert.equal((await logged(id, app.organization())).status, 404);
  const unknown = randomUUID();
  await app.anonymous.request('GET', '/v1/sms', undefined, { 'x-request-id': unknown });
  await client.request('GET', '/healthz', undefined, { 'x-request-id': unknown });
  assert.equal((await logged(unknown)).status, 404);
});

test('of requests with the same id the newest is found, also when the client repeats an id that the service chose', async () => {
  const sent = await client.request('POST', '/v1/sms', text);
  const id = sent.headers.get('x-request-id')!;
  assert.equal((await logged(id)).body.operation, 'sms.create');
  for (const path of ['/v1/sms', '/v1/contacts']) {
    await client.request('GET', path, undefined, { 'x-request-id': id });
    assert.equal((await logged(id)).body.path, path);
  }
  const { body } = await logged(id);
  assert.ok(Math.abs(new Date(body.at).getTime() - Date.now()) < 60_000);
});

test('requests are forgotten after some days', async () => {
  const id = randomUUID();
  await client.request('GET', '/v1/sms', undefined, { 'x-request-id': id });
  assert.equal((await logged(id)).status, 200);
  await app.later(40 * 86_400);
  await app.app.jobs.drain();
  assert.equal((await logged(id)).status, 404);
  const rows = await app.db.rows(sql`select from request_log where request_id = ${id}`);
  assert.equal(rows.length, 0);
});

test('with a database that does not answer, requests wait in bounded memory and are then dropped and counted', async () => {
  let dropped = 0;
  const failures: (() => void)[] = [];
  const writer = writeBehind<number>({
    write: () => new Promise((_, reject) => failures.push(() => reject(new Error('away')))),
    dropped: (count) => {
      dropped += count;
    },
    max_waiting: 100,
    max_batch: 10,
    delay_ms: 1,
  });
  for (let count = 0; count < 500; count++) writer.add(count);
  // Ten are being written, and a hundred wait.
  assert.equal(dropped, 390);
  const flushed = writer.flush();
  while (dropped < 500) {
    failures.shift()?.();
    await Promise.resolve();
  }
  await flushed;
  assert.equal(dropped, 500);
});
