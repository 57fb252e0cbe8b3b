// The media sockets refuse unknown paths and survive broken connections and wrong messages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import WebSocket from 'ws';
import { startOnTwilio } from '../../../testing/carriers/service.ts';

const { url } = await startOnTwilio({ PARLEY_MEDIA_URL: 'https://parley.example/media/worker-0' });
const { port } = new URL(url);

async function upgrade(path: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n`);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  await once(socket, 'close');
  return text.split('\r\n')[0]!;
}
const isAlive = async () => (await fetch(`${url}/healthz`)).status === 200;

test('an unknown path is not found, however it is written', { timeout: 20_000 }, async () => {
  for (const path of [
    '/',
    '//',
    '/v1/carriers/nobody/media',
    '/media/worker-1/v1/carriers/twilio/media',
    '/media/worker-0',
    '/v1/carriers/sandbox/media',
    '/v1/whoami',
    '/%',
    '/..//',
  ]) {
    assert.equal(await upgrade(path), 'HTTP/1.1 404 Not Found', path);
  }
  assert.ok(await isAlive());
});

test('the path of PARLEY_MEDIA_URL may be passed on or removed by a proxy', { timeout: 20_000 }, async () => {
  for (const path of ['/media/worker-0/v1/carriers/twilio/media', '/v1/carriers/twilio/media'])
    assert.equal(await upgrade(path), 'HTTP/1.1 101 Switching Protocols', path);
});

test('a connection that is reset during the upgrade has no other effect', { timeout: 20_000 }, async () => {
  for (const path of ['/nowhere', '/v1/carriers/twilio/media']) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  assert.ok(await isAlive());
});

test('a message that is too large closes the socket', { timeout: 20_000 }, async () => {
  for (const message of ['x'.repeat(100_000), Buffer.alloc(100_000)]) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/carriers/twilio/media`);
    await once(socket, 'open');
    socket.send(message);
    const [code] = (await once(socket, 'close')) as [number];
    assert.ok([1006, 1009].includes(code), String(code));
  }
  assert.ok(await isAlive());
});
