// Stands between the service and its database, so that a story can cut the line, hold it, and give it back.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type DatabaseProxy = {
  /** For DATABASE_URL: the same database by way of the proxy. */
  url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Takes connections and bytes, and passes nothing on; or only keeps the answers back. */
  hold(what?: 'everything' | 'answers'): void;
  /** On how many connections something waits to be passed on. */
  held(): number;
  /** Ends every connection, with all that was held, and takes new ones. */
  drop(): void;
  /** Passes everything again, also what was held. */
  restore(): Promise<void>;
};

/** Closed when the test is over. */
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

  const carry = async (from: Socket, to: Socket, is_answer: boolean) => {
    try {
      for await (const chunk of from) {
        if (is_answer || !answers_only) {
          held++;
          await gate;
          held--;
        }
        if (!to.write(chunk)) await once(to, 'drain');
      }
      to.end();
    } catch {
      // Either end may break at any time: that is what the proxy is for.
      from.destroy();
      to.destroy();
    }
  };
  const server = createServer((client) => {
    const upstream = connect(Number(database.port), database.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    }
    void carry(client, upstream, false);
    void carry(upstream, client, true);
  });
  // A story that failed half-way may give the line back after its end; the listener must not keep us then.
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

/** While the line is cut no outgoing connection of this machine may be given the port. */
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
