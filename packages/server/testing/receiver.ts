// A webhook receiver on loopback for tests: it stores every request, and responds as the test defines.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after } from 'node:test';
import { waitFor } from './wait-for.ts';

export type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: { id: string; type: string; data: Record<string, unknown> } & Record<string, unknown>;
};

/** Responds to one request. A response that it does not end stays open. */
export type Respond = (response: ServerResponse, request: Received, socket: Socket) => void;

export const respondWith =
  (status: number, body = '', headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(body);

export type Receiver = {
  /** The URL without a path. */
  url: string;
  port: number;
  requests: Received[];
  /** Requests to one path. */
  at(path: string): Received[];
  /** Sets how the path responds from now on; the default is 200. */
  on(path: string, respond: Respond): void;
  /** Resolves when the path has received this many requests. */
  arrived(path: string, count?: number): Promise<Received[]>;
  close(): Promise<void>;
};

/** Closes itself at the end of the test file or suite. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const responders = new Map<string, Respond>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const path = request.url!;
      const received = { path, headers: request.headers, body, json: JSON.parse(body.toString()) };
      requests.push(received);
      (responders.get(path) ?? respondWith(200))(response, received, request.socket);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => requests.filter((request) => request.path === path);

  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  after(close);

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    at,
    on: (path, respond) => void responders.set(path, respond),
    async arrived(path, count = 1) {
      await waitFor(`${count} requests at ${path}`, () => at(path).length >= count, { interval_ms: 5 });
      return at(path);
    },
    close,
  };
}
