// A receiver of webhooks on loopback: it remembers every request, and answers as the test says.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

export type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: { id: string; type: string; data: Record<string, unknown> } & Record<string, unknown>;
};

/** Answers one request; whatever it leaves open stays open. */
export type Answering = (response: ServerResponse, request: Received, socket: Socket) => void;

export const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end(body);

export type Receiver = {
  /** Without a path. */
  url: string;
  port: number;
  requests: Received[];
  /** Requests to one path. */
  at(path: string): Received[];
  /** What the path answers from now on; 200 until it is said. */
  on(path: string, answering: Answering): void;
  /** Resolves once there are so many requests to the path. */
  arrived(path: string, count?: number): Promise<Received[]>;
  close(): Promise<void>;
};

/** Closed by itself at the end of the test file or suite it is called in. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const answers = new Map<string, Answering>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const path = request.url!;
      const received = { path, headers: request.headers, body, json: JSON.parse(body.toString()) };
      requests.push(received);
      (answers.get(path) ?? answer(200))(response, received, request.socket);
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
    on: (path, answering) => void answers.set(path, answering),
    async arrived(path, count = 1) {
      while (at(path).length < count) await wait(5);
      return at(path);
    },
    close,
  };
}
