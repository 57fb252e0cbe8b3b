// Finds a TCP port of this machine on which no program listens.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Another program may take the port before the caller uses it; the system gives out ports in turn, so this is rare. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
