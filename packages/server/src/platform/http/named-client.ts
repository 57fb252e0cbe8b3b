// The client on whose behalf the MCP server of this process sends a request, for limits per client address.
import type { FastifyRequest } from 'fastify';
import { randomToken, sameSecret } from '../crypto.ts';
import { networkOf } from './client-network.ts';

const name = 'parley-client-address';
/** Only this process knows it: no other program can choose the address that its wrong credentials count for. */
const secret = randomToken('');

/** The header with which the MCP server names its client. */
export const namedClient = (ip: string): Record<string, string> => ({ [name]: `${secret} ${ip}` });

/** The network of the client: of the one that the MCP server named, else of the sender. */
export function clientNetwork(request: FastifyRequest): string {
  const value = request.headers[name];
  if (typeof value !== 'string') return networkOf(request.ip);
  const [token = '', ip = ''] = value.split(' ');
  return networkOf(sameSecret(token, secret) ? ip : request.ip);
}
