// Every process can be monitored, whatever its roles: health, readiness and metrics on a separate port (O3).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { version } from '../../packages/contract/src/version.ts';
import { people } from '../../packages/server/testing/calls.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { readExposition } from '../../packages/server/testing/exposition.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { databaseProxy } from './database-proxy.ts';
import { type Launched, makeHome, type Service, until, useRemoteSpeech } from './process.ts';

const in_order = { code: 0, signal: null };
const keys = {
  WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8',
  PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
  PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
};

async function settingsWithDatabase(t: TestContext): Promise<Record<string, string>> {
  const database = await createDatabase();
  t.after(database.drop);
  return { ...keys, DATABASE_URL: database.url, PARLEY_SANDBOX: 'on', SMTP_PORT: '0' };
}

const healthOf = async (launched: Launched) => (await launched.prints(/^ {2}Health +(\S+)$/m))[1]!;
const ask = async (url: string) => {
  const answer = await fetch(url);
  const text = await answer.text();
  const is_json = answer.headers.get('content-type')?.includes('json');
  return { status: answer.status, text, body: is_json ? JSON.parse(text) : null };
};

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a process with only the role worker (O3)', async (t) => {
  const { DATABASE_URL, ...settings } = await settingsWithDatabase(t);
  const line = await databaseProxy(t, DATABASE_URL!);
  const api = await makeHome(t).start({ ...settings, DATABASE_URL: DATABASE_URL!, PARLEY_ROLES: 'api' });
  const worker = makeHome(t).launch({
    ...settings,
    DATABASE_URL: line.url,
    PARLEY_ROLES: 'worker',
    PARLEY_HEALTH_PORT: '0',
  });
  const health = await healthOf(worker);
  await t.test('reports health, readiness and metrics', () => reportsItsWork(api, health));
  await t.test('is healthy and not ready while it ends a call during a stop', async () => {
    await useRemoteSpeech(api);
    await startRinging(api, health);
    // The end of the call cannot be stored, so the stop stays in its first step.
    line.hold();
    const exit = worker.stop();
    await worker.prints(/SIGTERM: finishing/);
    const answer = await ask(`${health}/readyz`);
    assert.deepEqual([answer.status, answer.body.status], [503, 'shutting_down']);
    assert.equal((await ask(`${health}/healthz`)).status, 200);
    await line.restore();
    assert.deepEqual(await exit, in_order, worker.output());
  });
});

async function reportsItsWork(api: Service, health: string): Promise<void> {
  assert.match(health, /^http:\/\/127\.0\.0\.1:\d+$/);
  await until(async () => (await ask(`${health}/readyz`)).status === 200);
  assert.deepEqual((await ask(`${health}/healthz`)).body, { status: 'alive', version });
  assert.deepEqual((await ask(`${health}/readyz`)).body, {
    status: 'ready',
    checks: {
      database: 'ready',
      storage: 'ready',
      disk: 'ready',
      carrier: 'ready',
      mail: 'ready',
      engines: 'ready',
    },
  });
  const refusalOf = async (response: Response) => {
    const { code, fix } = (await response.json()) as { code: string; fix: string };
    assert.ok(fix);
    return [response.status, response.headers.get('content-type'), code];
  };
  const problem = 'application/problem+json';
  for (const path of ['/v1/whoami', '/%zz'])
    assert.deepEqual(await refusalOf(await fetch(health + path)), [404, problem, 'not_found']);
  assert.deepEqual(await refusalOf(await fetch(`${health}/readyz`, { method: 'POST', body: 'x' })), [
    405,
    problem,
    'method_not_allowed',
  ]);

  // The worker does the work that the API queued, and counts it.
  const scrape = async () => readExposition((await ask(`${health}/metrics`)).text);
  const sent = { channel: 'sms', direction: 'outbound', outcome: 'delivered', reason: 'none' };
  assert.equal((await scrape()).value('parley_outcomes_total', sent), 0);
  const made = await api.request('POST', '/v1/sms', {
    to: '+15005550001',
    body: 'Hello',
    recipient_consent: true,
  });
  assert.equal(made.status, 201, made.text);
  await until(async () => (await scrape()).value('parley_outcomes_total', sent) === 1);
  assert.doesNotMatch(api.output(), /^ {2}Health/m, 'the API answers on its own port');
}

async function startRinging(api: Service, health: string): Promise<void> {
  const call = await api.request<{ id: string }>('POST', '/v1/calls', {
    to: people.never_answers,
    recipient_consent: true,
  });
  const running = async () =>
    readExposition((await ask(`${health}/metrics`)).text).value('parley_calls_in_progress');
  await until(async () => (await running()) === 1);
  await until(async () => (await api.request('GET', `/v1/calls/${call.body.id}`)).body.status === 'ringing');
}

test('a process is healthy and not ready while it waits for its database (O3)', async (t) => {
  const health_port = String(await freePort());
  makeHome(t).launch({
    ...keys,
    DATABASE_URL: `postgres://parley@127.0.0.1:${await freePort()}/parley`,
    PARLEY_ROLES: 'worker',
    PARLEY_HEALTH_PORT: health_port,
  });
  const health = `http://127.0.0.1:${health_port}`;
  await until(async () => (await ask(`${health}/readyz`).catch(() => null))?.status === 503);
  assert.equal((await ask(`${health}/readyz`)).body.status, 'starting');
  assert.equal((await ask(`${health}/healthz`)).status, 200);
});

test('a process with only the role mcp reports its health, and is ready while the API responds (O3)', async (t) => {
  const api = createServer((_, response) => response.end('{}'));
  const api_port = await listening(t, api);
  const mcp = makeHome(t).launch({
    PARLEY_ROLES: 'mcp',
    PARLEY_BASE_URL: `http://127.0.0.1:${api_port}`,
    PARLEY_MCP_KEY: 'k',
    PARLEY_HEALTH_PORT: '0',
  });
  const health = await healthOf(mcp);
  assert.equal((await ask(`${health}/healthz`)).status, 200);
  assert.deepEqual((await ask(`${health}/readyz`)).body, { status: 'ready', checks: { api: 'ready' } });
  const { families } = readExposition((await ask(`${health}/metrics`)).text);
  assert.ok(families.has('parley_process_resident_memory_bytes'));
  assert.ok(families.has('parley_nodejs_eventloop_lag_p99_seconds'));

  api.close();
  api.closeAllConnections();
  const away = await ask(`${health}/readyz`);
  assert.deepEqual([away.status, away.body.status], [503, 'not_ready']);
  assert.match(away.body.checks.api, /^unavailable: /);
  // A scraper with an open connection does not delay the stop.
  const idle = connect(Number(new URL(health).port), '127.0.0.1');
  await once(idle, 'connect');
  idle.on('error', () => {});
  assert.deepEqual(await mcp.stop(), in_order, mcp.output());
  idle.destroy();
});

test('a second process whose default health port is in use prints the port that it uses instead (O3)', async (t) => {
  const launch = (more: Record<string, string> = {}) =>
    makeHome(t).launch({
      PARLEY_ROLES: 'mcp',
      PARLEY_BASE_URL: 'http://127.0.0.1:1',
      PARLEY_MCP_KEY: 'k',
      ...more,
    });
  // The port may be in use by the first process or by another program on this machine.
  const launched = [launch(), launch()];
  const urls = await Promise.all(launched.map(healthOf));
  assert.notEqual(urls[0], urls[1]);
  for (const [at, url] of urls.entries()) {
    assert.equal((await ask(`${url}/healthz`)).status, 200);
    const says_so = /The default health port 8082 on 127\.0\.0\.1 is in use/.test(launched[at]!.output());
    assert.equal(says_so, !url.endsWith(':8082'));
  }

  const chosen = new URL(urls[0]!).port;
  const refused = launch({ PARLEY_HEALTH_PORT: chosen });
  assert.equal((await refused.exited).code, 1);
  assert.match(refused.output(), new RegExp(`The health port ${chosen} on 127\\.0\\.0\\.1 is in use`));
  assert.match(refused.output(), /PARLEY_HEALTH_PORT/);

  const off = launch({ PARLEY_HEALTH_PORT: 'off' });
  await off.prints(/^ {2}MCP +(\S+)$/m);
  assert.doesNotMatch(off.output(), /^ {2}Health/m);
});

test('with the API a health port is opened when it is set, and the API refuses /metrics without a key (O3)', async (t) => {
  const settings = await settingsWithDatabase(t);
  const service = await makeHome(t).start({ ...settings, PARLEY_HEALTH_PORT: '0' });
  const health = await healthOf(service);
  assert.equal((await ask(`${health}/metrics`)).status, 200);
  assert.equal((await ask(`${service.url}/metrics`)).status, 401);
  assert.equal((await service.request('GET', '/metrics')).status, 200);
  for (const url of [health, service.url]) assert.equal((await ask(`${url}/readyz`)).status, 200);
});
