// The database is unreachable, hangs or is slow while the service is used: requests fail with a clear error, and later succeed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { password, signUp, visitor } from '../../packages/server/testing/visitor.ts';
import { type DatabaseProxy, databaseProxy } from './database-proxy.ts';
import { type Answer, makeHome, type Service, until } from './process.ts';

type Story = { service: Service; line: DatabaseProxy; database_url: string };

async function startStory(
  t: { after(done: () => Promise<void>): void },
  settings: Record<string, string> = {},
): Promise<Story> {
  const database = await createDatabase();
  t.after(database.drop);
  const line = await databaseProxy(t, database.url);
  const service = await makeHome(t).start({
    DATABASE_URL: line.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_DATABASE_TIMEOUT_SECONDS: '1',
    PARLEY_REQUESTS_PER_MINUTE: '1000000',
    PARLEY_ROLES: 'api',
    ...settings,
  });
  return { service, line, database_url: database.url };
}

const person = (name: string) => ({ name, email: `${name.toLowerCase()}@example.com` });

function assertAway(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  assert.equal(answer.body.code, 'database_unavailable');
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** /healthz responds, /readyz reports an error. */
async function assertNotReady(service: Service): Promise<void> {
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
}

async function assertWorks(service: Service): Promise<void> {
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  assert.equal((await service.request('GET', '/v1/contacts')).status, 200);
}

/** One service for all outages: after each it must work again anyway. The last one stops it. */
test('a service whose database fails in several ways', async (t) => {
  const story = await startStory(t);
  await t.test('a database that accepts connections and never responds', (t) => neverResponds(t, story));
  await t.test('a slow database: only requests that take too long fail', () => isSlow(story));
  await t.test('a lost response of the database is not reported as a conflict', () => losesResponses(story));
  await t.test('a database that is unreachable', (t) => isUnreachable(t, story));
});

async function neverResponds(t: TestContext, { service, line }: Story): Promise<void> {
  const ana = await service.request('POST', '/v1/contacts', person('Ana'));
  line.hold();

  await t.test('no request waits forever', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, () => service.request('GET', `/v1/contacts/${ana.body.id}`)),
      service.request('PATCH', `/v1/contacts/${ana.body.id}`, { role: 'Sales' }),
      service.request('POST', '/v1/contacts', person('Bea'), { 'idempotency-key': 'bea' }),
      ...Array.from({ length: 20 }, () => service.request('POST', '/v1/contacts', person('Cleo'))),
    ]);
    for (const answer of answers) assertAway(answer);
  });

  await t.test('the process is alive, but not ready', () => assertNotReady(service));

  await t.test('when it responds again, requests succeed without a restart', async () => {
    await line.restore();
    await assertWorks(service);
  });

  await t.test(
    'a request that timed out may have been committed; its Idempotency-Key prevents a second record',
    async () => {
      const bea = await service.request('POST', '/v1/contacts', person('Bea'), { 'idempotency-key': 'bea' });
      assert.equal(bea.status, 201);
      const list = await service.request<{ items: { name: string }[] }>('GET', '/v1/contacts');
      assert.deepEqual(list.body.items.map(({ name }) => name).toSorted(), ['Ana', 'Bea']);
    },
  );
}

async function isSlow({ service, database_url }: Story): Promise<void> {
  const blocker = new pg.Client(database_url);
  await blocker.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table contacts');
    assertAway(await service.request('POST', '/v1/contacts', person('Dora')));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  } finally {
    await blocker.end();
  }
  assert.equal((await service.request('POST', '/v1/contacts', person('Dora'))).status, 201);
}

async function losesResponses({ service, line }: Story): Promise<void> {
  assert.equal((await service.request('GET', '/v1/contacts')).status, 200);
  line.hold('answers');
  const adding = Array.from({ length: 40 }, (_, index) =>
    service.request('POST', '/v1/contacts', person(`Person${index}`)),
  );
  await until(() => line.held() >= 1);
  line.drop();
  // Whether it was committed is unknown. It must not be reported as another contact's address.
  for (const answer of await Promise.all(adding)) assert.ok([201, 503].includes(answer.status), answer.text);
  await line.restore();
}

async function isUnreachable(t: TestContext, { service, line }: Story): Promise<void> {
  const eve = await service.request('POST', '/v1/contacts', person('Eve'));
  assert.equal(eve.status, 201);
  await line.cut();

  await t.test('every request fails with the usual error body and a time to retry', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        service.request('GET', '/v1/contacts'),
        service.request('GET', `/v1/contacts/${eve.body.id}`),
        service.request('POST', '/v1/contacts', person(`Other${index}`)),
        service.request('PATCH', `/v1/contacts/${eve.body.id}`, { role: 'Sales' }),
      ]).flat(),
    );
    for (const answer of answers) assertAway(answer);
  });

  await t.test('the process is alive, but not ready', () => assertNotReady(service));

  await t.test('when it is reachable again, requests succeed without a restart', async () => {
    await line.restore();
    await assertWorks(service);
    const patched = await service.request('PATCH', `/v1/contacts/${eve.body.id}`, { role: 'Sales' });
    assert.equal(patched.status, 200);
    assert.equal((await service.request('POST', '/v1/contacts', person('Fay'))).status, 201);
  });

  await t.test('a stop while it is unreachable ends with code 0', async () => {
    await line.cut();
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
  });
}

test('account pages show the error while the database is unreachable', async (t) => {
  const { service, line } = await startStory(t, {
    PARLEY_MANAGED: 'on',
    PARLEY_SANDBOX: 'on',
    // A worker mails the code.
    PARLEY_ROLES: 'api,worker',
    PARLEY_SIGN_UP: 'open',
    PARLEY_AUTH_SECRET: 'a-secret-that-only-this-story-knows-00000',
  });
  const email = 'ana@example.com';
  const ana = await signUp({ url: service.url, client: service }, { email });
  assert.equal((await ana.open('/auth')).status, 200);
  await line.cut();
  for (const visit of [
    await ana.open('/auth'),
    await visitor(service.url).send('/auth/sign-in', { email, password }),
    await visitor(service.url).send('/auth/sign-up', { name: 'Bo', email: 'bo@example.com', password }),
  ]) {
    assert.equal(visit.status, 503, visit.text);
    assert.match(visit.text, /Temporarily unavailable/);
    assert.match(visit.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  await line.restore();
  assert.equal((await ana.open('/auth')).status, 200);
});
