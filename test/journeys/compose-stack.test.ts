// Starts the services of deploy/compose.yaml as processes of this machine, with their commands and their environment, on one
// database and one bucket behind Caddy, and uses every channel through the proxy. Only addresses, ports and folders differ.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createParley } from '@parley/sdk';
import { Agent, fetch as fetchFrom } from 'undici';
import { people } from '../../packages/server/testing/calls.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { startBucket } from '../../packages/server/testing/s3-bucket.ts';
import { deliver, rawMessage } from '../../packages/server/testing/smtp-client.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import {
  type ComposeService,
  example_environment,
  image,
  ownServices,
  readCompose,
  readDeployFile,
} from '../deploy/compose-file.ts';
import { type Home, type Launched, makeHome } from './process.ts';

const missing =
  spawnSync('caddy', ['version']).error !== undefined &&
  'caddy is not installed: scripts/install-debian-programs';
const key = 'a-long-key-that-only-this-stack-knows';

type Running = { launched: Launched; host: string; mcp_host: string; environment: Record<string, string> };

test('the services of the Compose file call, mail and text together behind the proxy', {
  skip: missing,
}, async (t) => {
  const stack = await startStack(t);
  const { parley, proxy_url } = stack;

  await t.test('the health check of the image passes in every service', async () => {
    for (const [name, { environment }] of stack.services)
      await waitFor(`${name} is healthy`, () => passesHealthCheck(environment));
  });

  await t.test('an email is sent, a text is delivered, and a call is completed', async () => {
    const consent = { recipient_consent: true } as const;
    const call = await parley.calls.create({
      to: people.hangs_up,
      system_prompt: 'Ask for their name.',
      ...consent,
    });
    const email = await parley.emails.create({
      to: ['delivered@sandbox.test'],
      subject: 'Hello',
      ...consent,
    });
    const text = await parley.sms.create({ to: '+15005550001', body: 'Hello', ...consent });
    assert.equal((await parley.emails.get(email.id)).status, 'sent');
    await waitFor(
      'the text is delivered',
      async () => (await parley.sms.get(text.id)).status === 'delivered',
    );
    assert.equal((await parley.calls.wait(call.id)).status, 'completed');
  });

  await t.test('mail for a mailbox arrives at the mail server, and its bytes in the bucket', async () => {
    const { default_address } = await parley.emailDomains.create({
      ...{ kind: 'service_mail', local_prefix_user: 'ana', local_prefix_org: 'acme' },
    });
    const { SMTP_PORT } = stack.services.get('smtp')!.environment;
    const reply = await deliver(Number(SMTP_PORT), {
      to: default_address!,
      raw: rawMessage({ to: default_address!, subject: 'Welcome' }),
    });
    assert.match(reply, /^250 /);
    const { items } = await parley.emails.list({ direction: 'inbound' });
    assert.deepEqual(
      items.map(({ subject }) => subject),
      ['Welcome'],
    );
    const stored = [...stack.objects.values()].map(({ body }) => body.toString('latin1'));
    assert.ok(stored.some((bytes) => bytes.includes('Subject: Welcome')));
  });

  await t.test('the proxy leads /mcp to the MCP servers and hides the metrics', async () => {
    const initialize = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const answer = await stack.fetch(`${proxy_url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(initialize),
    });
    assert.match(await answer.text(), /"serverInfo"/);
    assert.equal((await stack.fetch(`${proxy_url}/metrics`)).status, 404);
  });

  await t.test('while one API process stops in order, the proxy uses the other one', async () => {
    const stopping = stack.services.get('api-1')!.launched.stop();
    for (let count = 0; count < 20; count++) await parley.identity.whoami();
    assert.deepEqual(await stopping, { code: 0, signal: null });
    for (const [name, { launched }] of stack.services)
      assert.deepEqual(await launched.stop(), { code: 0, signal: null }, name);
  });
});

async function startStack(t: TestContext) {
  const database = await createDatabase();
  t.after(database.drop);
  const bucket = await startBucket({ ms: Date.now });
  const [tls, plain] = [await freePort(), await freePort()];
  const compose = readCompose({
    ...example_environment,
    PUBLIC_HOSTNAME: `localhost:${tls}`,
    PARLEY_SHARED_KEY: key,
    S3_PASSWORD: bucket.settings.secret_access_key,
  });
  const here = {
    DATABASE_URL: database.url,
    PARLEY_S3_ENDPOINT: bucket.settings.endpoint,
    PARLEY_TRUSTED_PROXIES: '127.0.0.1',
    ...{ HOST: '127.0.0.1', MCP_HOST: '127.0.0.1', PARLEY_HEALTH_HOST: '127.0.0.1' },
  };
  const { migrate, ...others } = Object.fromEntries(ownServices(compose));
  const migrated = await start(t, migrate!, here);
  assert.deepEqual(await migrated.launched.exited, { code: 0, signal: null }, migrated.launched.output());

  const services = new Map<string, Running>();
  for (const [name, service] of Object.entries(others)) services.set(name, await start(t, service, here));
  const hostOf = (name: string) => services.get(name)!.host;
  const proxy_url = await startCaddy(t, makeHome(t), {
    ...{ tls, plain },
    upstreams: {
      ...{ API_1: hostOf('api-1'), API_2: hostOf('api-2') },
      ...{ WORKER_1: hostOf('worker-1'), WORKER_2: hostOf('worker-2') },
      ...{ MCP_1: services.get('api-1')!.mcp_host, MCP_2: services.get('api-2')!.mcp_host },
      OBJECTS: new URL(bucket.settings.endpoint).host,
    },
  });
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  t.after(() => agent.destroy());
  const fetch = ((input: string, init: object) =>
    fetchFrom(input, { ...init, dispatcher: agent })) as never as typeof globalThis.fetch;
  const parley = createParley({ base_url: proxy_url, api_key: key, fetch });
  return { services, objects: bucket.objects, proxy_url, parley, fetch };
}

/** A container of the image: its environment, then that of the service; `here` replaces addresses of the Compose network. */
async function start(
  t: TestContext,
  service: ComposeService,
  here: Record<string, string>,
): Promise<Running> {
  const home = makeHome(t);
  const port = {
    api: await freePort(),
    mcp: await freePort(),
    health: await freePort(),
    smtp: await freePort(),
  };
  const environment = {
    ...image.environment,
    ...service.environment,
    ...here,
    PARLEY_DATA_DIR: home.data_dir,
    ...{ PORT: String(port.api), MCP_PORT: String(port.mcp), PARLEY_HEALTH_PORT: String(port.health) },
    ...(service.environment!.SMTP_PORT ? { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port.smtp) } : {}),
  };
  const launched = home.launch(environment, service.command);
  return { launched, environment, host: `127.0.0.1:${port.api}`, mcp_host: `127.0.0.1:${port.mcp}` };
}

const passesHealthCheck = (environment: Record<string, string>) =>
  new Promise<boolean>((done) =>
    execFile(process.execPath, ['-e', image.health_check], { env: environment }, (error) => done(!error)),
  );

/** With certificates of Caddy's own authority. Returns its URL when both API processes answer behind it. */
async function startCaddy(
  t: TestContext,
  home: Home,
  options: { tls: number; plain: number; upstreams: Record<string, string> },
): Promise<string> {
  const { tls, plain, upstreams } = options;
  const data = join(home.folder, 'caddy');
  mkdirSync(data);
  const file = join(home.folder, 'Caddyfile');
  const global_options = `{\n admin off\n skip_install_trust\n default_bind 127.0.0.1\n http_port ${plain}\n}\n`;
  writeFileSync(file, global_options + readDeployFile('proxy/Caddyfile'));
  const caddy: ChildProcess = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: {
      ...{ PATH: process.env.PATH, HOME: home.folder, XDG_DATA_HOME: data, XDG_CONFIG_HOME: data },
      ...{ PUBLIC_HOSTNAME: `localhost:${tls}`, ...upstreams },
    },
  });
  const exited = once(caddy, 'exit');
  t.after(async () => {
    caddy.kill('SIGKILL');
    await exited;
  });
  return `https://localhost:${tls}`;
}
