// Receivers that mean harm, or are merely broken: each costs its own delivery an attempt, and nobody else anything.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildConnector } from 'undici';
import { startTestApp } from '../../../testing/app.ts';
import { answer, startReceiver } from '../../../testing/receiver.ts';
import { happen, newPath, onlyDelivery, subscribe } from '../../../testing/webhooks.ts';

const resolved: string[] = [];
const connected: string[] = [];
const reallyConnect = buildConnector({ timeout: 1000, allowH2: false });
const { client, organization, url } = await startTestApp(
  { WEBHOOK_TIMEOUT_SECONDS: '1' },
  {
    webhook_network: {
      // Whatever the guard lets through, this test connects to nothing but loopback.
      connect(options, callback) {
        connected.push(options.hostname);
        if (options.hostname === '127.0.0.1') reallyConnect(options, callback);
        else callback(new Error('not on loopback'), null);
      },
      async resolve(hostname) {
        resolved.push(hostname);
        if (hostname === 'nowhere.test') throw new Error('no such name');
        return hostname === 'mixed.test' ? ['127.0.0.1', '169.254.169.254'] : ['169.254.169.254'];
      },
    },
  },
);
const receiver = await startReceiver();

/** Speaks bytes rather than HTTP; returns where it listens. */
async function rawServer(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => speak(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function deliverTo(target_url: string) {
  const own = organization();
  const { id } = await subscribe(own, target_url);
  await happen(own);
  return onlyDelivery(own, id);
}

async function failsWith(target_url: string, error: string, status_code: number | null = null) {
  const delivery = await deliverTo(target_url);
  const [attempt] = delivery.attempts;
  assert.deepEqual([delivery.status, attempt!.error, attempt!.status_code], ['pending', error, status_code]);
  return attempt!;
}

describe('an attempt', () => {
  test('that is never answered ends at its deadline', async () => {
    const path = newPath();
    receiver.on(path, () => {});
    await failsWith(receiver.url + path, 'timeout');
  });

  test('whose headers drip in ends at its deadline', async () => {
    const target = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    await failsWith(target, 'timeout');
  });

  test('whose body drips in ends at its deadline', async () => {
    const target = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    await failsWith(target, 'timeout');
  });

  test('that is answered 200 with an endless body is delivered, and 4 KiB of it are kept', async () => {
    const path = newPath();
    receiver.on(path, (response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      };
      response.writeHead(200).on('drain', pour);
      pour();
    });
    const delivery = await deliverTo(receiver.url + path);
    assert.equal(delivery.status, 'delivered');
    assert.equal(delivery.attempts[0]!.response_body, 'x'.repeat(4096));
  });

  test('that is answered with a gzip bomb keeps the packed bytes only', async () => {
    const path = newPath();
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    receiver.on(path, (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const delivery = await deliverTo(receiver.url + path);
    assert.equal(delivery.status, 'delivered');
    assert.ok(delivery.attempts[0]!.response_body!.length <= 4096);
  });

  test('that is answered with huge headers fails', async () => {
    const target = await rawServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`),
    );
    await failsWith(target, 'response_headers_too_large');
  });

  test('that is answered with something other than HTTP fails', async () => {
    await failsWith(
      await rawServer((socket) => socket.end('220 mail.example.com ESMTP\r\n')),
      'response_invalid',
    );
  });

  test('that is answered with a redirect fails, and the redirect is not followed', async () => {
    const [path, elsewhere] = [newPath(), newPath()];
    receiver.on(path, answer(307, '', { location: receiver.url + elsewhere }));
    await failsWith(receiver.url + path, 'redirect_not_followed', 307);
    assert.deepEqual(receiver.at(elsewhere), []);
  });

  test('that is answered 410 or 429 fails like any other', async () => {
    for (const status of [410, 429]) {
      const path = newPath();
      receiver.on(path, answer(status, '', { 'retry-after': '9999' }));
      await failsWith(receiver.url + path, 'bad_status', status);
    }
  });

  test('whose connection is reset, or refused, fails', async () => {
    const path = newPath();
    receiver.on(path, (_response, _request, socket) => socket.resetAndDestroy());
    await failsWith(receiver.url + path, 'connection_failed');
    const closed = await startReceiver();
    await closed.close();
    await failsWith(closed.url, 'connection_failed');
  });

  test('over TLS to a server that speaks none fails', async () => {
    await failsWith(receiver.url.replace('http:', 'https:'), 'tls_failed');
  });

  test('to a name that does not resolve fails', async () => {
    await failsWith('http://nowhere.test/', 'dns_failed');
  });

  test('to a name that resolves to a forbidden address fails without a connection', async () => {
    await failsWith('http://metadata.test/latest', 'target_not_allowed');
    await failsWith('http://mixed.test/', 'target_not_allowed');
    assert.ok(resolved.includes('metadata.test') && resolved.includes('mixed.test'));
    assert.deepEqual([...new Set(connected)], ['127.0.0.1']);
  });
});

test('a receiver that answers anything leaves the service as it was', async () => {
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const path = newPath();
  const { id } = await subscribe(client, receiver.url + path);
  await happen(client);
  assert.equal((await onlyDelivery(client, id)).status, 'delivered');
});
