// A WebSocket server for the media sockets of one carrier, for tests without the whole service.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { MediaSocket } from '../../src/providers/carrier/carrier.ts';
import { isRelayed } from '../../src/providers/carrier/media-relay.ts';
import { carrierSocket } from '../../src/providers/carrier/media-socket-routes.ts';

export async function startMediaServer(openMedia: (socket: MediaSocket, query: URLSearchParams) => void) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket, request) => {
    socket.on('error', () => socket.terminate());
    const { searchParams } = new URL(request.url!, 'ws://localhost');
    openMedia({ ...carrierSocket(socket, request.socket), is_relayed: isRelayed(request) }, searchParams);
  });
  await new Promise((listening) => server.once('listening', listening));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise<void>((closed) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => closed());
      }),
  };
}
