// Starts the services of deploy/compose.yaml as processes of this machine, with their commands and their environment, on one
// database and one bucket behind Caddy, and uses every channel through the proxy. Only addresses, ports and folders differ.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createParley } from '@parley/sdk';
import { Agent, fetch as fetchFrom } from 'undici';
import { realTimeClock } from '../../packages/server/src/providers/media/media-clock.ts';
import type { CarrierStream } from '../../packages/server/testing/carriers/media-stream.ts';
import { startTwilio, twilio_account, twilio_token } from '../../packages/server/testing/carriers/twilio.ts';
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
const friend = '+14155550123';
const clock = realTimeClock();

const hearsAgent = (far: CarrierStream) =>
  waitFor('the agent speaks', () => far.frames().some((frame) => frame.some((sample) => sample > 500)), {
    timeout_ms: 120_000,
  });

type Running = { launched: Launched; host: string; mcp_host: string; environment: Record<string, string> };

test('the services of the Compose file call, mail and text together behind the proxy', {
  skip: missing,
}, async (t) => {
  const twilio = await startTwilio();
  t.after(() => twilio.close());
  const stack = await startStack(t, twilio.url);
  const { parley, proxy_url } = stack;
  const number = await waitFor('a number is bought', () =>
    parley.numbers.create({ country_code: 'US' }).catch(() => null),
  );

  await t.test('the health check of the image passes in every service', async () => {
    for (const [name, { environment }] of stack.services)
      await waitFor(`${name} is healthy`, () => passesHealthCheck(environment));
  });

  await t.test('an email is sent, and a text is delivered', async () => {
    const consent = { recipient_consent: true } as const;
    const email = await parley.emails.create({
      to: ['delivered@sandbox.test'],
      subject: 'Hello',
      ...consent,
    });
    const text = await parley.sms.create({ to: friend, body: 'Hello', ...consent });
    assert.equal((await parley.emails.get(email.id)).status, 'sent');
    const message = await waitFor('the text is sent', () => twilio.messages[0]);
    await twilio.report(message, 'delivered');
    await waitFor(
      'the text is delivered',
      async () => (await parley.sms.get(text.id)).status === 'delivered',
    );
  });

  await t.test(
    'calls in both directions are spoken by the workers, over the one public address',
    async () => {
      const { id } = await parley.calls.create({
        ...{ to: friend, recipient_consent: true, ai_disclosure: false, first_message: 'Good morning.' },
      });
      const outbound = await twilio.phone.next();
      assert.match(
        outbound.document,
        new RegExp(`wss://${new URL(proxy_url).host}/v1/carriers/twilio/media`),
      );
      const far = await outbound.answer(clock);
      await outbound.report('in-progress');
      await hearsAgent(far);
      far.hangUp();
      await outbound.report('completed');
      const call = await parley.calls.wait(id);
      assert.deepEqual([call.status, call.end_reason], ['completed', 'callee_hangup']);

      const agent = await parley.agents.create({ name: 'Desk', first_message: 'How can I help you?' });
      await parley.numbers.update(number.id, { voice_agent_id: agent.id });
      const { voice_url } = twilio.numbers.find(({ phone_number }) => phone_number === number.e164)!;
      // The API process that gets the callback runs no calls: it passes the call on to a worker.
      const inbound = await twilio.phone.callIn(voice_url, friend, number.e164);
      const caller = await inbound.answer(clock);
      await hearsAgent(caller);
      caller.hangUp();
      await inbound.report('completed');
      const received = (await parley.calls.list()).items.find(({ direction }) => direction === 'inbound');
      assert.equal((await parley.calls.wait(received!.id)).status, 'completed');
    },
  );

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

async function startStack(t: TestContext, twilio_url: string) {
  const database = await createDatabase();
  t.after(database.drop);
  const bucket = await startBucket({ ms: Date.now });
  const [tls, plain] = [await freePort(), await freePort()];
  const compose = readCompose({
    ...example_environment,
    PUBLIC_HOSTNAME: `localhost:${tls}`,
    PARLEY_SHARED_KEY: key,
    S3_PASSWORD: bucket.settings.secret_access_key,
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio_account,
    TWILIO_AUTH_TOKEN: twilio_token,
  });
  const here = {
    DATABASE_URL: database.url,
    PARLEY_S3_ENDPOINT: bucket.settings.endpoint,
    PARLEY_TRUSTED_PROXIES: '127.0.0.1',
    TWILIO_BASE_URL: twilio_url,
    PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
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
    ...(service.environment!.PARLEY_INTERNAL_URL
      ? { PARLEY_INTERNAL_URL: `http://127.0.0.1:${port.api}` }
      : {}),
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
  // The carrier trusts this authority.
  const root = join(data, 'caddy/pki/authorities/local/root.crt');
  await waitFor('Caddy has made its authority', () => existsSync(root));
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(root, 'utf8')]);
  return `https://localhost:${tls}`;
}
