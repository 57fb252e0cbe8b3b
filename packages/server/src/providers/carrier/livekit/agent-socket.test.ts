// The worker socket to LiveKit: it is opened again whenever the server does not respond.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { livekit_access } from '../../../../testing/carriers/livekit.ts';
import { steppedClock } from '../../../../testing/stepped-clock.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { agentSocket } from './agent-socket.ts';

function openSocket(port: number) {
  const clock = steppedClock();
  const socket = agentSocket({
    access: { ...livekit_access, url: `http://127.0.0.1:${port}` },
    agent_name: 'parley',
    clock,
    log: { info() {}, warn() {} } as never,
    freeCalls: () => 1,
    keepPlace: () => () => {},
    onJob: async () => {},
  });
  after(() => socket.stop());
  return { clock, socket };
}

const portOf = (server: { address(): unknown }) => (server.address() as { port: number }).port;

test('a server that accepts the connection and never responds is connected to again', async () => {
  const connections: Socket[] = [];
  const server = createServer((connection) => void connections.push(connection));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  const { clock, socket } = openSocket(portOf(server));
  socket.start();
  await waitFor('the first connection', () => connections.length === 1);
  await clock.pass(40_000);
  await waitFor('the second connection', async () => {
    await clock.pass(1000);
    return connections.length === 2;
  });
});

test('a server that opens the socket and never registers the worker is connected to again', async () => {
  const sockets: WebSocket[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise<void>((resolve) => server.on('listening', resolve));
  server.on('connection', (opened) => void sockets.push(opened));
  after(() => {
    for (const opened of sockets) opened.terminate();
    server.close();
  });
  const { clock, socket } = openSocket(portOf(server));
  socket.start();
  await waitFor('the first socket', () => sockets.length === 1);
  assert.equal(socket.problem(), null);
  await clock.pass(40_000);
  assert.notEqual(socket.problem(), null);
  await waitFor('the second socket', async () => {
    await clock.pass(1000);
    return sockets.length === 2;
  });
});
