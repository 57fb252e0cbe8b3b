// A TCP proxy between the service and its database, with which a test cuts, holds and restores the connection.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type DatabaseProxy = {
  /** For DATABASE_URL: the same database through the proxy. */
  url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections and bytes, and forwards nothing; or holds only the responses. */
  hold(what?: 'everything' | 'answers'): void;
  /** The number of connections with held bytes. */
  held(): number;
  /** Ends every connection, drops held bytes, and accepts new connections. */
  drop(): void;
  /** Forwards everything again, also held bytes. */
  restore(): Promise<void>;
};

/** The message of PostgreSQL that ends the authentication: outside a transaction, ready for the next query. */
const ready_for_query = Buffer.from('Z\0\0\0\x05I', 'latin1');
type Connection = { is_ready: boolean };

/**
 * Closed when the test is over. A connection is held before the server sees it or after its authentication, never in between: such a
 * connection keeps every `create database` and `drop database` of the server waiting, also those of other tests, for up to a minute.
 */
export async function databaseProxy(
  t: { after(done: () => Promise<void>): void },
  database_url: string,
): Promise<DatabaseProxy> {
  const database = new URL(database_url);
  const sockets = new Set<Socket>();
  let gate: Promise<void> = Promise.resolve();
  let open = () => {};
  let held = 0;
  let answers_only = false;

  const carry = async (from: Socket, to: Socket, connection: Connection, is_answer: boolean) => {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        if (connection.is_ready && (is_answer || !answers_only)) {
          held++;
          await gate;
          held--;
        }
        if (is_answer && chunk.subarray(-ready_for_query.length).equals(ready_for_query))
          connection.is_ready = true;
        if (!to.write(chunk)) await once(to, 'drain');
      }
      to.end();
    } catch {
      // Either end may break at any time, which the tests intend.
      from.destroy();
      to.destroy();
    }
  };
  const follow = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const server = createServer(async (client) => {
    follow(client);
    held++;
    await gate;
    held--;
    if (client.destroyed) return;
    const upstream = connect(Number(database.port), database.hostname);
    follow(upstream);
    const connection = { is_ready: false };
    void carry(client, upstream, connection, false);
    void carry(upstream, client, connection, true);
  });
  // A failed test may restore the connection after its end; the listener must not keep the process alive then.
  server.unref();

  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const restore = async (port: number) => {
    open();
    if (!server.listening) await listen(port);
  };
  const port = await listenBelowEphemeralPorts(listen);
  t.after(async () => {
    open();
    if (server.listening) await cut();
  });

  return {
    url: Object.assign(new URL(database_url), { hostname: '127.0.0.1', port: String(port) }).href,
    cut,
    hold(what = 'everything') {
      answers_only = what === 'answers';
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    held: () => held,
    drop() {
      for (const socket of sockets) socket.destroy();
      open();
    },
    restore: () => restore(port),
  };
}

/** Keeps the port reserved while the proxy is closed, so that no outgoing connection gets it. */
async function listenBelowEphemeralPorts(listen: (port: number) => Promise<void>): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(12_000);
    try {
      await listen(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}
