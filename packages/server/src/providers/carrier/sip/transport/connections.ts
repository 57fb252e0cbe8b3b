// SIP over TCP and TLS: opens connections, and listens, because a peer may open its own for a request in a call.
import { once } from 'node:events';
import { connect as connectTcp, createServer as createTcpServer, isIP, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import type { Link, LinkOptions, TlsFiles } from './link.ts';
import type { Hop } from './next-hop.ts';
import { streamFraming } from './stream-framing.ts';

export type ConnectionOptions = LinkOptions & {
  tls: boolean;
  /** Our certificate. Without it there is no TLS listener, and peers must use the connection that we opened. */
  tls_files?: TlsFiles | null;
  /** Certificate authorities besides the system's. */
  tls_ca?: Buffer | null;
  connect_timeout_ms?: number;
};

type State = {
  options: ConnectionOptions;
  /** By address and port. */
  open: Map<string, Socket>;
  opening: Map<string, Promise<Socket>>;
  accepted: number;
};

const max_accepted = 1000;
const idle_ms = 15 * 60_000;

export function connections(options: ConnectionOptions): Link {
  const state: State = { options, open: new Map(), opening: new Map(), accepted: 0 };
  const server = createListener(state);
  return {
    protocol: options.tls ? 'TLS' : 'TCP',
    reliable: true,
    async listen() {
      if (!server) return options.listen_port;
      server.listen(options.listen_port, options.listen_host);
      await once(server, 'listening');
      return (server.address() as { port: number }).port;
    },
    transmit: (text, hops) => transmit(state, text, hops),
    async close() {
      for (const socket of state.open.values()) socket.destroy();
      state.open.clear();
      if (server?.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** IPv4 peers of a dual-stack listener, written without the IPv6 prefix, as in the Via of a response. */
const withoutPrefix = (address: string) => address.replace(/^::ffff:/, '');
const keyOf = (address: string, port: number) => `${withoutPrefix(address)} ${port}`;

function createListener(state: State) {
  const { tls, tls_files } = state.options;
  const onConnection = (socket: Socket) => accept(state, socket);
  if (tls && !tls_files) return null;
  const server = tls_files && tls ? createTlsServer(tls_files, onConnection) : createTcpServer(onConnection);
  server.on('error', () => {});
  return server;
}

function accept(state: State, socket: Socket): void {
  if (state.accepted >= max_accepted) {
    socket.destroy();
    return;
  }
  state.accepted++;
  socket.once('close', () => state.accepted--);
  addConnection(state, socket, keyOf(socket.remoteAddress ?? '', socket.remotePort ?? 0));
}

function addConnection({ open, options }: State, socket: Socket, key: string): void {
  const framing = streamFraming();
  const peer = { address: withoutPrefix(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 };
  open.set(key, socket);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  socket.setTimeout(idle_ms, () => socket.destroy());
  socket.on('data', (bytes) => {
    const { messages, pings, is_malformed } = framing.push(bytes);
    if (pings > 0) socket.write('\r\n');
    for (const text of messages) options.onText(text, peer);
    if (is_malformed) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (open.get(key) === socket) open.delete(key);
  });
}

async function transmit(state: State, text: string, hops: readonly Hop[]): Promise<void> {
  let problem: unknown;
  for (const hop of hops) {
    try {
      const socket = await connectionTo(state, hop);
      await new Promise<void>((resolve, reject) =>
        socket.write(text, (error) => (error ? reject(error) : resolve())),
      );
      return;
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

function connectionTo(state: State, hop: Hop): Promise<Socket> {
  const key = keyOf(hop.address, hop.port);
  const socket = state.open.get(key);
  if (socket) return Promise.resolve(socket);
  const opening = state.opening.get(key) ?? connect(state, hop).finally(() => state.opening.delete(key));
  state.opening.set(key, opening);
  return opening;
}

async function connect(state: State, hop: Hop): Promise<Socket> {
  const { tls, tls_ca, connect_timeout_ms = 5000 } = state.options;
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
    // A late error of an abandoned socket must not crash the process.
    socket.on('error', () => {});
    socket.destroy();
    throw error;
  }
  addConnection(state, socket, keyOf(hop.address, hop.port));
  return socket;
}
