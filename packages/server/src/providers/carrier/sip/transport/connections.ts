// SIP over TCP and TLS: connections we open, and a listener, because a peer may open its own for a request in a call.
import { once } from 'node:events';
import { connect as connectTcp, createServer as createTcpServer, isIP, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import type { Link, LinkOptions, TlsFiles } from './link.ts';
import type { Hop } from './next-hop.ts';
import { streamFraming } from './stream-framing.ts';

export type ConnectionOptions = LinkOptions & {
  tls: boolean;
  /** Own certificate; without it there is no TLS listener and peers must use the connection we opened. */
  tls_files?: TlsFiles | null;
  /** Authorities beside the system's. */
  tls_ca?: Buffer | null;
  connect_timeout_ms?: number;
};

const most_accepted = 1000;
const idle_ms = 15 * 60_000;

export function connections(options: ConnectionOptions): Link {
  const { tls, tls_files, tls_ca, connect_timeout_ms = 5000 } = options;
  const open = new Map<string, Socket>();
  const opening = new Map<string, Promise<Socket>>();
  let accepted = 0;

  /** The address as it is written in an answer's Via: an IPv4 peer of a double-stack listener without its prefix. */
  const plain = (address: string) => address.replace(/^::ffff:/, '');
  const keyOf = (address: string, port: number) => `${plain(address)} ${port}`;

  function adopt(socket: Socket, key: string): void {
    const framing = streamFraming();
    const peer = { address: plain(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 };
    open.set(key, socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    socket.setTimeout(idle_ms, () => socket.destroy());
    socket.on('data', (bytes) => {
      const read = framing.push(bytes);
      if (read === null) {
        socket.destroy();
        return;
      }
      if (read.pings > 0) socket.write('\r\n');
      for (const text of read.messages) options.onText(text, peer);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (open.get(key) === socket) open.delete(key);
    });
  }

  async function dial(hop: Hop): Promise<Socket> {
    const socket = tls
      ? connectTls({
          host: hop.address,
          port: hop.port,
          ...(isIP(hop.servername) === 0 ? { servername: hop.servername } : {}),
          ...(tls_ca ? { ca: tls_ca } : {}),
        })
      : connectTcp({ host: hop.address, port: hop.port });
    try {
      await once(socket, tls ? 'secureConnect' : 'connect', {
        signal: AbortSignal.timeout(connect_timeout_ms),
      });
    } catch (error) {
      // A socket given up on must not bring the process down with a late error.
      socket.on('error', () => {});
      socket.destroy();
      throw error;
    }
    adopt(socket, keyOf(hop.address, hop.port));
    return socket;
  }

  function connectionTo(hop: Hop): Promise<Socket> {
    const key = keyOf(hop.address, hop.port);
    const ready = open.get(key);
    if (ready) return Promise.resolve(ready);
    const started = opening.get(key) ?? dial(hop).finally(() => opening.delete(key));
    opening.set(key, started);
    return started;
  }

  function accept(socket: Socket): void {
    if (accepted >= most_accepted) {
      socket.destroy();
      return;
    }
    accepted++;
    socket.once('close', () => accepted--);
    adopt(socket, keyOf(socket.remoteAddress ?? '', socket.remotePort ?? 0));
  }
  const server = tls
    ? tls_files
      ? createTlsServer({ cert: tls_files.cert, key: tls_files.key }, accept)
      : null
    : createTcpServer(accept);
  server?.on('error', () => {});

  return {
    protocol: tls ? 'TLS' : 'TCP',
    reliable: true,
    async listen() {
      if (!server) return options.listen_port;
      server.listen(options.listen_port, options.listen_host);
      await once(server, 'listening');
      return (server.address() as { port: number }).port;
    },
    async transmit(text, hops) {
      let problem: unknown;
      for (const hop of hops) {
        try {
          const socket = await connectionTo(hop);
          await new Promise<void>((resolve, reject) =>
            socket.write(text, (error) => (error ? reject(error) : resolve())),
          );
          return;
        } catch (error) {
          problem = error;
        }
      }
      throw problem;
    },
    async close() {
      for (const socket of open.values()) socket.destroy();
      open.clear();
      if (server?.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
