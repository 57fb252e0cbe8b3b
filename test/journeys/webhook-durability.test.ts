// The service is killed repeatedly while events are created and delivered: in the end every event was delivered.
import assert from 'node:assert/strict';
import { createHmac, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pause } from '../../packages/server/testing/wait-for.ts';
import { databaseProxy } from './database-proxy.ts';
import { type Answer, makeHome, type Service, sharedDatabase, until } from './process.ts';

const limits = { PARLEY_REQUESTS_PER_MINUTE: '1000000000', WEBHOOK_TIMEOUT_SECONDS: '2' };
/**
 * The moment of a kill is random: with four clients each of them hits sending or recording the outcome of some delivery. A round
 * costs a start and hundreds of later attempts, and further runs hit other moments.
 */
const rounds = 5;
const clients = 4;
/** Limits the number of events: every event costs up to seven attempts later, and more of them show nothing new. */
const client_pause_ms = 10;

type Subscription = { id: string; secret: string; path: string };
type Delivery = { id: string; event_id: string; status: string; attempt_count: number };
type Page<T> = { items: T[]; next_cursor: string | null };

/** Receives during the whole test, also while the service is down. */
async function startReceiver(t: { after(done: () => void): void }) {
  const received: { path: string; delivery_id: string; body: Buffer; signature: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url!;
      const signature = String(request.headers['x-service-signature']);
      const delivery_id = String(request.headers['x-service-delivery']);
      received.push({ path, delivery_id, body: Buffer.concat(chunks), signature });
      // One path always fails, one fails often, the others never.
      const fails = path === '/never' || (path === '/often' && randomInt(3) > 0);
      response.writeHead(fails ? 500 : 200).end();
    });
    request.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function subscribe(
  service: Service,
  url: string,
  path: string,
  email_domain_id?: string,
): Promise<Subscription> {
  const made = await service.request<{ id: string; secret: string }>('POST', '/v1/webhooks', {
    target_url: url + path,
    event_types: ['call.completed'],
    ...(email_domain_id ? { email_domain_id } : {}),
  });
  assert.equal(made.status, 201, made.text);
  return { ...made.body, path };
}

/** One client that creates events until the service stops responding, and records the confirmed ones. */
async function makeEvents(service: Service, email_domain_id: string, answered: Set<string>): Promise<void> {
  for (;;) {
    const body = { type: 'call.completed', count: randomInt(1, 4), email_domain_id };
    const made = await service
      .request<{ items: { id: string }[] }>('POST', '/v1/sandbox/events', body)
      .catch(() => null);
    if (!made) return;
    if (made.status !== 503) {
      assert.equal(made.status, 201, made.text);
      for (const { id } of made.body.items) answered.add(id);
    }
    await pause(client_pause_ms, 'a client that is not as fast as it can');
  }
}

async function readAll<T>(service: Service, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer<Page<T>> = await service.request(
      'GET',
      `${path}?limit=200${cursor && `&cursor=${cursor}`}`,
    );
    assert.equal(page.status, 200, page.text);
    items.push(...page.body.items);
    cursor = page.body.next_cursor;
  }
  return items;
}

/** Nothing is pending: leases of killed processes have ended, and all retries are done. */
async function comeToRest(service: Service): Promise<void> {
  for (const advance_seconds of [60, 86_400, 600]) {
    const moved = await service.request('POST', '/v1/sandbox/clock', { advance_seconds });
    assert.equal(moved.status, 200, moved.text);
  }
}

test('webhooks of a service that is killed repeatedly', async (t) => {
  const home = makeHome(t);
  const { received, url } = await startReceiver(t);
  const answered = new Set<string>();
  const settings = { ...limits, ...(await sharedDatabase(t)) };
  let service = await home.start(settings);
  // A subscription to one email domain is never disabled after failures.
  const domain = await service.request<{ id: string }>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: 'parley.example.com',
  });
  assert.equal(domain.status, 201, domain.text);
  const email_domain_id = domain.body.id;
  const subscriptions = [
    await subscribe(service, url, '/always'),
    await subscribe(service, url, '/often'),
    await subscribe(service, url, '/never', email_domain_id),
  ];
  for (let round = 0; round < rounds; round++) {
    const making = Array.from({ length: clients }, () => makeEvents(service, email_domain_id, answered));
    // On a loaded machine the first response takes longer than the random moment.
    const before = answered.size;
    await until(() => answered.size > before);
    await pause(randomInt(150), 'the kill comes at a random moment');
    await Promise.all([service.kill(), ...making]);
    service = await home.start(settings);
  }
  await comeToRest(service);
  const events = (await readAll<{ id: string }>(service, '/v1/events')).map(({ id }) => id);

  await t.test('every confirmed event is stored once', () => {
    assert.ok(answered.size > rounds, `${answered.size} events were confirmed`);
    assert.equal(new Set(events).size, events.length);
    const there = new Set(events);
    assert.deepEqual(
      [...answered].filter((id) => !there.has(id)),
      [],
    );
  });

  await t.test(
    'every event has exactly one delivery per subscription, delivered or failed after seven attempts',
    async () => {
      for (const { id, path } of subscriptions) {
        const deliveries = await readAll<Delivery>(service, `/v1/webhooks/${id}/deliveries`);
        const delivered = deliveries.map(({ event_id }) => event_id);
        assert.equal(new Set(delivered).size, delivered.length, path);
        assert.deepEqual(delivered.toSorted(), events.toSorted(), path);
        const unsettled = deliveries.filter(
          ({ status, attempt_count }) =>
            status !== 'delivered' && !(status === 'dead' && attempt_count === 7),
        );
        assert.deepEqual(unsettled, [], path);
      }
    },
  );

  await t.test('repeated deliveries have the same id and bytes, and all are signed', () => {
    const bytes = new Map<string, Buffer>();
    for (const { delivery_id, body, path, signature } of received) {
      const known = bytes.get(delivery_id);
      assert.ok(!known || known.equals(body), delivery_id);
      bytes.set(delivery_id, body);
      const { secret } = subscriptions.find((subscription) => subscription.path === path)!;
      const [, timestamp, v1] = /^t=(\d+),v1=(\w+)$/.exec(signature)!;
      assert.equal(v1, createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'));
    }
    const received_ids = new Set(
      received.filter(({ path }) => path === '/always').map(({ body }) => JSON.parse(body.toString()).id),
    );
    assert.deepEqual(
      events.filter((id) => !received_ids.has(id)),
      [],
    );
  });

  assert.deepEqual(await service.stop(), { code: 0, signal: null });
});

test('webhooks continue after the database was unreachable for ten seconds under load, and no event is lost', async (t) => {
  const database = await sharedDatabase(t);
  const line = await databaseProxy(t, database.DATABASE_URL);
  const { received, url } = await startReceiver(t);
  const service = await makeHome(t).start({ ...limits, ...database, DATABASE_URL: line.url });
  const subscription = await subscribe(service, url, '/always');
  const answered = new Set<string>();
  let is_over = false;
  const load = Array.from({ length: clients }, async () => {
    while (!is_over) {
      const made = await service.request<{ items: { id: string }[] }>('POST', '/v1/sandbox/events', {
        type: 'call.completed',
      });
      if (made.status === 201) for (const { id } of made.body.items) answered.add(id);
      else assert.equal(made.status, 503, made.text);
      // Refused requests of ten seconds: more of them show nothing new.
      await pause(5 * client_pause_ms, 'a client that is not as fast as it can');
    }
  });
  await until(() => received.length > 20);
  await line.cut();
  const before = answered.size;
  await pause(10_000, 'the database stays away this long');
  await line.restore();
  await until(() => answered.size > before + 50);
  is_over = true;
  await Promise.all(load);

  await until(() => {
    const received_ids = new Set(received.map(({ body }) => JSON.parse(body.toString()).id as string));
    return [...answered].every((id) => received_ids.has(id));
  });
  await until(async () => {
    const deliveries = await readAll<Delivery>(service, `/v1/webhooks/${subscription.id}/deliveries`);
    return deliveries.every(({ status }) => status === 'delivered');
  });
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
});
