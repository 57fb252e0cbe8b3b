// The proxy examples work in front of a real server: TLS, WebSockets, event streams, large uploads, the client's address.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { selfSignedCertificate } from '../../packages/server/src/protocols/self-signed-certificate.ts';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { twilio_account, twilio_token } from '../../packages/server/testing/carriers/twilio.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';

const example = (name: string) =>
  readFileSync(new URL(`../../deploy/proxy/${name}`, import.meta.url), 'utf8');
/** A client with an address that differs from the proxy's. */
const client_address = '127.0.0.2';
const service = await startTestApp({
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
  TWILIO_ACCOUNT_SID: twilio_account,
  TWILIO_AUTH_TOKEN: twilio_token,
});
const upstream = new URL(service.url).host;

type Proxy = {
  name: string;
  program: string;
  stop_signal: NodeJS.Signals;
  /** Writes the example with the addresses of this test, and returns the command line. */
  prepare(
    home: string,
    ports: { tls: number; plain: number },
  ): { args: string[]; env: Record<string, string> };
};

const nginx: Proxy = {
  name: 'nginx',
  program: 'nginx',
  // Its main process stops the others.
  stop_signal: 'SIGTERM',
  prepare(home, { tls, plain }) {
    const { cert, key } = selfSignedCertificate({ host: 'localhost', now: new Date(), days: 2 });
    writeFileSync(join(home, 'cert.pem'), cert);
    writeFileSync(join(home, 'key.pem'), key);
    const site = example('nginx.conf')
      .replace(/server 127\.0\.0\.1:8\d\d\d\b/g, `server ${upstream}`)
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${tls} ssl http2;`)
      .replaceAll('parley.example.com', 'localhost')
      .replace('/etc/ssl/parley/fullchain.pem', join(home, 'cert.pem'))
      .replace('/etc/ssl/parley/privkey.pem', join(home, 'key.pem'));
    const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${join(home, kind)};`)
      .join('\n');
    const config = `daemon off; pid ${join(home, 'pid')}; error_log stderr; worker_processes 1;
      events {} http { access_log off; ${temp}\n${site} }`;
    writeFileSync(join(home, 'nginx.conf'), config);
    return { args: ['-p', home, '-c', join(home, 'nginx.conf')], env: {} };
  },
};

const caddy: Proxy = {
  name: 'Caddy',
  program: 'caddy',
  // SIGTERM would wait for open connections.
  stop_signal: 'SIGKILL',
  prepare(home, { tls, plain }) {
    // Certificates of Caddy's own authority, and nothing on ports that need privileges.
    const options = `{\n admin off\n skip_install_trust\n default_bind 127.0.0.1\n http_port ${plain}\n}\n`;
    writeFileSync(join(home, 'Caddyfile'), options + example('Caddyfile'));
    mkdirSync(join(home, 'data'));
    const names = ['API_1', 'API_2', 'MCP_1', 'MCP_2', 'OBJECTS'];
    return {
      args: ['run', '--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'],
      env: {
        ...Object.fromEntries(names.map((name) => [name, upstream])),
        PUBLIC_HOSTNAME: `localhost:${tls}`,
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CONFIG_HOME: join(home, 'data'),
      },
    };
  },
};

for (const proxy of [nginx, caddy]) {
  const is_missing = spawnSync(proxy.program, ['version']).error !== undefined;
  const skip = is_missing && `${proxy.program} is not installed: scripts/install-debian-programs`;
  describe(proxy.name, { skip, timeout: 90_000 }, () => {
    const running: { tls: number; stop(): Promise<void> } = { tls: 0, stop: async () => {} };
    before(async () => Object.assign(running, await startProxy(proxy)));
    after(() => running.stop());
    const send = (method: string, path: string, options: Sent = {}) =>
      sendTo(running.tls, method, path, options);

    test('passes requests on over TLS, and keeps metrics inside', async () => {
      assert.equal((await send('GET', '/readyz')).statusCode, 200);
      assert.equal((await send('GET', '/metrics')).statusCode, 404);
      assert.equal((await send('GET', '/v1/whoami')).statusCode, 200);
    });

    test('passes on the address of the client, not one that the client invents', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      const changed = await send('PATCH', '/v1/admin/kill-switch', { headers, json: { sms: true } });
      assert.equal(changed.statusCode, 200, await text(changed));
      const log = JSON.parse(await text(await send('GET', '/v1/admin/audit-log?limit=1'))) as {
        items: { ip: string }[];
      };
      assert.equal(log.items[0]!.ip, client_address);
    });

    test('passes events on at once', async () => {
      const stream = await send('GET', '/v1/events/stream', { headers: { accept: 'text/event-stream' } });
      assert.equal(stream.statusCode, 200);
      const chunks = stream.setEncoding('utf8')[Symbol.asyncIterator]();
      let received = '';
      const made = service.client.request('POST', '/v1/sandbox/events', { type: 'call.completed' });
      while (!received.includes('call.completed')) {
        const { value, done } = await chunks.next();
        assert.ok(!done, received);
        received += value;
      }
      await made;
      stream.destroy();
    });

    test('takes an upload of 25 MiB', async () => {
      const file = Buffer.alloc(25 * 1024 * 1024 - 1, 'a');
      const form = new FormData();
      form.append('file', new Blob([file], { type: 'text/plain' }), 'large.txt');
      const encoded = new Response(form);
      const body = Buffer.from(await encoded.arrayBuffer());
      const headers = { 'content-type': encoded.headers.get('content-type')! };
      const uploaded = await send('POST', '/v1/email-attachments', { headers, body });
      assert.equal(uploaded.statusCode, 201, await text(uploaded));
    });

    test('passes on the callbacks and the audio of carriers, which have one address', async () => {
      assert.equal((await send('POST', '/v1/carriers/twilio/callbacks')).statusCode, 403);
      const socket = new WebSocket(`wss://localhost:${running.tls}/v1/carriers/twilio/media`, {
        rejectUnauthorized: false,
        lookup: toLoopback,
      });
      await once(socket, 'open');
      socket.send(
        JSON.stringify({ event: 'start', start: { callSid: 'CA1', customParameters: { token: 'wrong' } } }),
      );
      const [code] = await once(socket, 'close');
      // The server accepted the socket and refused the token.
      assert.equal(code, 1008);
    });
  });
}

/** On some machines localhost is ::1 first, where nothing listens. */
const toLoopback = ((_name: string, options: { all?: boolean }, done: (...args: unknown[]) => void) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never;

type Sent = { headers?: Record<string, string>; json?: unknown; body?: Buffer };

async function sendTo(port: number, method: string, path: string, sent: Sent): Promise<IncomingMessage> {
  const body = sent.json === undefined ? sent.body : Buffer.from(JSON.stringify(sent.json));
  const outgoing = request({
    ...{ host: '127.0.0.1', port, method, path, localAddress: client_address },
    ...{ servername: 'localhost', rejectUnauthorized: false },
    headers: {
      host: `localhost:${port}`,
      authorization: `Bearer ${service.client.key}`,
      ...(sent.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body ? { 'content-length': String(body.length) } : {}),
      ...sent.headers,
    },
  });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return response as IncomingMessage;
}

async function startProxy(proxy: Proxy) {
  const home = mkdtempSync(join(tmpdir(), 'parley-proxy-'));
  const [tls, plain] = [await freePort(), await freePort()];
  const { args, env } = proxy.prepare(home, { tls, plain });
  const child: ChildProcess = spawn(proxy.program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  let log = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (chunk) => {
      log += chunk;
    });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill(proxy.stop_signal);
    await exited;
    rmSync(home, { recursive: true, force: true });
  };
  await waitFor(
    () => `${proxy.name} responds\n${log}`,
    async () => {
      assert.equal(child.exitCode, null, log);
      return sendTo(tls, 'GET', '/readyz', {}).then(
        (response) => response.resume().statusCode === 200,
        () => false,
      );
    },
    { interval_ms: 50, timeout_ms: 60_000 },
  );
  return { tls, stop };
}
