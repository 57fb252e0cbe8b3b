// The content of /metrics, and who may read it on the port of the API (O3).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { startTestApp, type TestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people, place } from '../../../../testing/calls.ts';
import { readExposition } from '../../../../testing/exposition.ts';
import { respondWith, startReceiver } from '../../../../testing/receiver.ts';
import { startRelayedApp } from '../../../../testing/relayed-app.ts';
import { newPath, subscribe } from '../../../../testing/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeMetrics } from '../../../platform/metrics.ts';
import { addProcessMetrics } from './process-metrics.ts';

const service = await startTestApp({}, { speech: () => codedSpeech() });
const { client, anonymous, organization } = service;

async function scrape({ client: of }: Pick<TestApp, 'client'> = service) {
  const scraped = await of.request('GET', '/metrics');
  assert.equal(scraped.status, 200, scraped.text);
  assert.equal(scraped.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return readExposition(scraped.text);
}

/** All these series grow by one. Work that follows a request may be committed after its response. */
async function grows(
  name: string,
  labels: Record<string, string> | Record<string, string>[],
  work: () => Promise<unknown>,
) {
  const series = [labels].flat();
  const read = async () => {
    const { value } = await scrape();
    return series.map((each) => value(name, each));
  };
  const expected = (await read()).map((before) => before + 1);
  await work();
  await eventually(`${name} ${JSON.stringify(series)}`, async () =>
    isDeepStrictEqual(await read(), expected),
  );
}
const outcome = (channel: string, name: string, reason = 'none', direction = 'outbound') => ({
  channel,
  direction,
  outcome: name,
  reason,
});

const sendTo = async (address: string, status = 201) => {
  const sent = await client.request('POST', '/v1/emails', {
    recipient_consent: true,
    to: [address],
    subject: 'Hello',
  });
  assert.equal(sent.status, status, sent.text);
};
const textTo = async (to: string) => {
  const made = await client.request('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });
  assert.equal(made.status, 201, made.text);
};

describe('metrics count events (O3)', { timeout: 120_000 }, () => {
  const total = 'parley_outcomes_total';

  test('an email that is sent, delivered, bounced, refused or received is counted', async () => {
    const delivery = [outcome('email', 'sent'), outcome('email', 'delivered')];
    await grows(total, delivery, () => sendTo('bob@example.org'));
    await grows(total, outcome('email', 'bounced', 'hard'), () => sendTo('bounced@sandbox.test'));
    await grows(total, outcome('email', 'failed', 'smtp_rejected'), () =>
      sendTo('rejected@sandbox.test', 502),
    );
    await grows(total, outcome('email', 'received', 'none', 'inbound'), async () => {
      const made = await client.request('POST', '/v1/sandbox/inbound-emails', {
        from: 'bob@example.org',
        subject: 'Re: Hello',
      });
      assert.equal(made.status, 201, made.text);
    });
  });

  test('a text that is sent, delivered, fails or is received is counted', async () => {
    // Nothing is reported about a text to this number. A report that comes before the response to the hand-over counts alone.
    await grows(total, outcome('sms', 'sent'), () => textTo('+15005550005'));
    await grows(total, outcome('sms', 'delivered'), () => textTo('+15005550001'));
    await grows(total, outcome('sms', 'undelivered', 'unreachable'), () => textTo('+15005550002'));
    // The sandbox phone with this number replies with the same text.
    await grows(total, outcome('sms', 'received', 'none', 'inbound'), () => textTo('+15005550007'));
  });

  test('a call is counted with its end reason, and its turns with their latency', async () => {
    await grows(total, outcome('call', 'busy', 'busy'), async () => {
      await ended(client, (await place(client, people.busy)).id);
    });
    const before = await scrape();
    const call = await ended(client, (await place(client, people.converses)).id);
    const after = await scrape();
    assert.equal(call.status, 'completed');
    const count = 'parley_call_turn_latency_seconds_count';
    assert.ok(after.value(count) > before.value(count), 'the agent answered at least once');
    const labels = outcome('call', 'completed', call.end_reason!);
    assert.equal(after.value(total, labels), before.value(total, labels) + 1);
  });

  test('the calls that this process runs are counted while they last', async () => {
    const call = await place(client, people.never_answers);
    await eventually('in progress', async () => (await scrape()).value('parley_calls_in_progress') === 1);
    await client.request('POST', `/v1/calls/${call.id}/cancel`);
    await ended(client, call.id);
    await eventually('no more', async () => (await scrape()).value('parley_calls_in_progress') === 0);
  });

  test('an attempt of a webhook delivery is counted by its result', async () => {
    const receiver = await startReceiver();
    const own = organization();
    const attempts = 'parley_webhook_attempts_total';
    const happen = () => own.request('POST', '/v1/sandbox/events', { type: 'call.completed' });
    const path = newPath();
    await subscribe(own, `${receiver.url}${path}`);
    await grows(attempts, { result: 'delivered' }, happen);
    receiver.on(path, respondWith(500));
    await grows(attempts, { result: 'retrying' }, happen);
  });

  test('connections, the event loop and the process have their metrics', async () => {
    const { families, value } = await scrape();
    for (const name of [
      'parley_database_waiting_requests',
      'parley_nodejs_eventloop_lag_p50_seconds',
      'parley_nodejs_eventloop_lag_p99_seconds',
      'parley_process_resident_memory_bytes',
      'parley_queue_read_failures_total',
      'parley_calls_at_once',
    ])
      assert.ok(families.has(name), name);
    const connections = ['idle', 'busy'].map((state) => value('parley_database_connections', { state }));
    assert.ok(connections[0]! + connections[1]! >= 1);
    assert.ok(!families.has('parley_mail_relay_connections'), 'the sandbox has no relay');
  });

  test('numbers of the pool and threads have their metrics', async () => {
    const { value, families } = await scrape();
    assert.ok(value('parley_pool_numbers', { state: 'free' }) > 0);
    assert.equal(value('parley_pool_numbers', { state: 'bound' }), 0);
    for (const name of ['threads', 'running_tasks', 'waiting_tasks', 'lag_seconds'])
      assert.ok(families.get(`parley_thread_pool_${name}`)!.samples.size > 0, name);
  });

  test('no label names an organization, a record, an address or a phone', async () => {
    for (const value of (await scrape()).labelValues())
      assert.doesNotMatch(value, /@|\+\d|[0-9a-f]{8}-[0-9a-f]{4}/, value);
  });
});

test('connections to a mail relay are counted (O3)', async () => {
  const app = await startRelayedApp();
  const sent = await app.client.request('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Hello',
  });
  assert.equal(sent.status, 201, sent.text);
  const { value, families } = await scrape(app);
  assert.equal(value('parley_mail_relay_connections', { state: 'idle' }), 1);
  assert.equal(value('parley_mail_relay_connections', { state: 'busy' }), 0);
  assert.ok(families.has('parley_mail_relay_waiting_requests'));
});

describe('queues (O3)', () => {
  test('due work that no process has claimed is counted, with the age of the oldest', async () => {
    const app = await startTestApp({ PARLEY_CALLS_AT_ONCE: '0' });
    for (let calls = 0; calls < 3; calls++) await place(app.client, people.busy);
    await app.db.run(sql`update calls set requested_at = requested_at - interval '40 seconds'`);
    const { value, families } = await scrape(app);
    assert.equal(value('parley_queue_due_items', { queue: 'calls' }), 3);
    const age = value('parley_queue_oldest_age_seconds', { queue: 'calls' });
    assert.ok(age >= 40 && age < 600, `${age} s`);
    // All queues are listed from the first scrape on; empty ones as zero.
    assert.equal(families.get('parley_queue_due_items')!.samples.size, 5);
    assert.equal(value('parley_queue_due_items', { queue: 'webhook_deliveries' }), 0);
    assert.equal(value('parley_queue_oldest_age_seconds', { queue: 'webhook_deliveries' }), 0);
  });

  test('deliveries and texts that are due count, those that wait for their time do not', async () => {
    const app = await startTestApp();
    // From here on nothing is claimed.
    await app.app.workers.stop();
    await subscribe(app.client, 'http://127.0.0.1:9/hook');
    await app.client.request('POST', '/v1/sandbox/events', { type: 'call.completed', count: 5 });
    await leaveInQueues(app);
    const { value } = await scrape(app);
    assert.equal(value('parley_queue_due_items', { queue: 'webhook_deliveries' }), 2);
    assert.equal(value('parley_queue_due_items', { queue: 'texts' }), 1);
  });

  test('several scrapes cause one query, and a failed query leaves the other metrics readable', async () => {
    let asked = 0;
    const metrics = makeMetrics();
    const db = {
      pool: { totalCount: 3, idleCount: 2, waitingCount: 0 },
      async transaction() {
        asked++;
        throw new Error('unavailable');
      },
    } as unknown as TestApp['db'];
    const log = { warn() {} } as unknown as Parameters<typeof addProcessMetrics>[1]['log'];
    const clock = { now: () => new Date(), ms: () => Date.now() } as Parameters<
      typeof addProcessMetrics
    >[1]['clock'];
    addProcessMetrics(metrics, {
      db,
      clock,
      log,
      callsInProgress: () => 7,
      calls_at_once: 20,
      mailConnections: undefined,
    });
    for (let scraped = 0; scraped < 20; scraped++) await metrics.registry.metrics();
    const { value, families } = readExposition(await metrics.registry.metrics());
    assert.equal(asked, 1);
    assert.equal(families.get('parley_queue_due_items')!.samples.size, 0);
    assert.equal(value('parley_queue_read_failures_total'), 1);
    assert.equal(value('parley_calls_in_progress'), 7);
    assert.equal(value('parley_database_connections', { state: 'busy' }), 1);
  });
});

/** Leaves two deliveries and one text that are due, and others that are not. */
async function leaveInQueues({ db, client: of }: TestApp): Promise<void> {
  const later = sql`now() + interval '1 hour'`;
  const before = sql`now() - interval '1 minute'`;
  await db.run(sql`update webhook_deliveries set claimable_at = ${later}`);
  await db.run(sql`update webhook_deliveries set claimable_at = ${before}
                    where id in (select id from webhook_deliveries order by id limit 2)`);
  for (let calls = 0; calls < 3; calls++)
    await of.request('POST', '/v1/sms', { to: '+15005550001', body: 'Hello', recipient_consent: true });
  await db.run(sql`update sms_messages set next_attempt_at = ${later}`);
  await db.run(sql`update sms_messages set next_attempt_at = ${before}
                    where id in (select id from sms_messages order by id limit 1)`);
}

describe('on the port of the API', () => {
  test('/metrics is refused without a key, with a wrong one, and without superadmin permissions (O3)', async () => {
    const missing = await anonymous.request('GET', '/metrics');
    assert.deepEqual([missing.status, missing.body.code], [401, 'unauthenticated']);
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer');
    assert.equal((await service.holder('wrong').request('GET', '/metrics')).status, 401);
    assert.equal((await organization().request('GET', '/metrics')).status, 404);
    const narrow = organization({ superadmin: true, scopes: ['contacts:read'] });
    assert.equal((await narrow.request('GET', '/metrics')).status, 403);
    for (const power of [client, organization({ superadmin: true, scopes: ['admin'] })])
      assert.equal((await power.request('GET', '/metrics')).status, 200);
  });

  test('PARLEY_METRICS makes /metrics public or removes it (O3)', async () => {
    const open = await startTestApp({ PARLEY_METRICS: 'public' });
    assert.equal((await open.anonymous.request('GET', '/metrics')).status, 200);
    const off = await startTestApp({ PARLEY_METRICS: 'off' });
    assert.equal((await off.client.request('GET', '/metrics')).status, 404);
    assert.equal((await off.anonymous.request('GET', '/readyz')).status, 200);
  });

  test('while draining, /readyz is 503 and /healthz stays 200 (O3)', async () => {
    const app = await startTestApp();
    assert.equal((await app.anonymous.request('GET', '/readyz')).status, 200);
    await app.app.drain();
    const refused = await app.anonymous.request('GET', '/readyz');
    assert.deepEqual([refused.status, refused.body.status], [503, 'shutting_down']);
    assert.equal((await app.anonymous.request('GET', '/healthz')).status, 200);
    assert.equal((await app.client.request('GET', '/metrics')).status, 200);
  });
});
