// The client side of an SMTP connection: no listeners are left behind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import { openDialogue } from './dialogue.ts';

test('waiting for a slow reader leaves no listeners on the connection', async () => {
  const server = createServer((peer) => {
    peer.on('data', () => {
      peer.pause();
      setImmediate(() => peer.resume());
    });
    peer.on('error', () => {});
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  after(() => socket.destroy());
  await once(socket, 'connect');
  const dialogue = openDialogue(socket, 10_000);
  const listeners = () => ['close', 'drain'].map((name) => socket.listenerCount(name));
  const before = listeners();
  let waits = 0;
  socket.on('drain', () => waits++);
  for (let i = 0; i < 20; i++) assert.equal(await dialogue.stream(Buffer.alloc(4 * 1024 * 1024)), true);
  assert.ok(waits > 5, String(waits));
  assert.deepEqual(listeners(), [before[0], before[1]! + 1]);
  // A pending write ends when the connection is closed.
  const last = dialogue.stream(Buffer.alloc(64 * 1024 * 1024));
  socket.destroy();
  assert.equal(await last, false);
});
