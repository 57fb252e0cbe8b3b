// Gives sessions of the SMTP servers the address of the client behind a trusted TCP balancer.
import type { SMTPServer } from 'smtp-server';
import { type Network, readProxies } from '../../../../../platform/proxied-server.ts';

/** Call it before the server listens. */
export function useClientAddresses(server: SMTPServer, proxies: readonly Network[]): void {
  const { clientOf } = readProxies(server.server, proxies);
  const connect = server.connect.bind(server);
  server.connect = (socket, options) => {
    const client = clientOf(socket);
    connect(socket, client === null ? options : { ...options, remoteAddress: client });
  };
}
