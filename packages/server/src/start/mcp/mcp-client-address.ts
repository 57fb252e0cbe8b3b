// The address of a client of the MCP server, behind the proxies that the settings name.
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** Trusts X-Forwarded-For of the same proxies as the API does. */
export function clientAddress(trusted_proxies: string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile(trusted_proxies);
  return (request) => proxyAddress(request, isTrusted);
}
