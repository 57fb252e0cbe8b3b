// The addresses of clients behind TCP balancers: reads the PROXY protocol of trusted peers before a server sees their connection.
import { BlockList, isIP, type Server, type Socket } from 'node:net';
import { plainAddress, readProxyHeader } from '../protocols/proxy-protocol.ts';

export type Network = { address: string; prefix: number };

/** A balancer sends the header at once. */
const header_timeout_ms = 5000;

/**
 * Connections of these networks must begin with a header, and are closed without one: a guess would let a client name any
 * address. `clientOf` is null for other connections, and where the balancer names no client.
 */
export function readProxies(
  server: Server,
  networks: readonly Network[],
): { clientOf(socket: Socket): string | null } {
  if (networks.length === 0) return { clientOf: () => null };
  const trusted = new BlockList();
  for (const { address, prefix } of networks) trusted.addSubnet(address, prefix, familyOf(address));
  // By the balancer's own address and port: TLS wraps the socket in another one, which has the same peer.
  const clients = new Map<string, string>();
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const pass = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.on('connection', (socket: Socket) => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (isIP(peer) === 0 || !trusted.check(peer, familyOf(peer))) return pass(socket);
    readHeader(socket, (address) => {
      const key = keyOf(socket);
      if (address !== null) clients.set(key, address);
      socket.once('close', () => clients.delete(key));
      pass(socket);
    });
  });
  return { clientOf: (socket) => clients.get(keyOf(socket)) ?? null };
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** Calls `done` once, with the bytes after the header still to be read; never for an invalid header. */
function readHeader(socket: Socket, done: (address: string | null) => void): void {
  let bytes = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), header_timeout_ms);
  const stop = () => {
    clearTimeout(timer);
    socket.off('readable', read).off('end', fail).off('close', stop);
  };
  const fail = () => void socket.destroy();
  const read = () => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      bytes = Buffer.concat([bytes, chunk]);
      const header = readProxyHeader(bytes);
      if (header === 'incomplete') continue;
      if (header === 'invalid') return fail();
      stop();
      socket.off('error', fail);
      const rest = bytes.subarray(header.length);
      if (rest.length > 0) socket.unshift(rest);
      return done(header.address);
    }
  };
  // Stays after a failure: a reset must not end the process.
  socket.on('error', fail).on('readable', read).on('end', fail).on('close', stop);
}
