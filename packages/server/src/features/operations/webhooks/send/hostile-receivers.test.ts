// Hostile or broken receivers: each fails an attempt of its own delivery, and affects no other delivery.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildConnector } from 'undici';
import { startTestApp } from '../../../../../testing/app.ts';
import { respondWith, startReceiver } from '../../../../../testing/receiver.ts';
import { createEvents, newPath, onlyDelivery, subscribe } from '../../../../../testing/webhooks.ts';

const resolved: string[] = [];
const connected: string[] = [];
const connectLoopback = buildConnector({ timeout: 1000, allowH2: false });
const { client, organization, url } = await startTestApp(
  { WEBHOOK_TIMEOUT_SECONDS: '1' },
  {
    webhook_network: {
      // This test connects to loopback only, also when the address guard has a bug.
      connect(options, callback) {
        connected.push(options.hostname);
        if (options.hostname === '127.0.0.1') connectLoopback(options, callback);
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

/** Responds with raw bytes instead of HTTP; returns its URL. */
async function rawServer(respond: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => respond(socket));
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
  await createEvents(own);
  return onlyDelivery(own, id);
}

async function failsWith(target_url: string, error: string, status_code: number | null = null) {
  const delivery = await deliverTo(target_url);
  const [attempt] = delivery.attempts;
  assert.deepEqual([delivery.status, attempt!.error, attempt!.status_code], ['pending', error, status_code]);
  return attempt!;
}

describe('an attempt', () => {
  test('that gets no response ends at its deadline', async () => {
    const path = newPath();
    receiver.on(path, () => {});
    await failsWith(receiver.url + path, 'timeout');
  });

  test('whose response headers arrive too slowly ends at its deadline', async () => {
    const target = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    await failsWith(target, 'timeout');
  });

  test('whose response body arrives too slowly ends at its deadline', async () => {
    const target = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    await failsWith(target, 'timeout');
  });

  test('that gets a 200 with an endless body is delivered, and 4 KiB of the body are stored', async () => {
    const path = newPath();
    receiver.on(path, (response) => {
      const writeMore = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      };
      response.writeHead(200).on('drain', writeMore);
      writeMore();
    });
    const delivery = await deliverTo(receiver.url + path);
    assert.equal(delivery.status, 'delivered');
    assert.equal(delivery.attempts[0]!.response_body, 'x'.repeat(4096));
  });

  test('that gets a gzip bomb stores only the compressed bytes', async () => {
    const path = newPath();
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    receiver.on(path, (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const delivery = await deliverTo(receiver.url + path);
    assert.equal(delivery.status, 'delivered');
    assert.ok(delivery.attempts[0]!.response_body!.length <= 4096);
  });

  test('that gets huge response headers fails', async () => {
    const target = await rawServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`),
    );
    await failsWith(target, 'response_headers_too_large');
  });

  test('that gets a response that is not HTTP fails', async () => {
    await failsWith(
      await rawServer((socket) => socket.end('220 mail.example.com ESMTP\r\n')),
      'response_invalid',
    );
  });

  test('that gets a redirect fails, and the redirect is not followed', async () => {
    const [path, elsewhere] = [newPath(), newPath()];
    receiver.on(path, respondWith(307, '', { location: receiver.url + elsewhere }));
    await failsWith(receiver.url + path, 'redirect_not_followed', 307);
    assert.deepEqual(receiver.at(elsewhere), []);
  });

  test('that gets a 410 or 429 fails like any other', async () => {
    for (const status of [410, 429]) {
      const path = newPath();
      receiver.on(path, respondWith(status, '', { 'retry-after': '9999' }));
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

  test('over TLS to a server without TLS fails', async () => {
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

test('the service still works after every kind of hostile response', async () => {
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const path = newPath();
  const { id } = await subscribe(client, receiver.url + path);
  await createEvents(client);
  assert.equal((await onlyDelivery(client, id)).status, 'delivered');
});
