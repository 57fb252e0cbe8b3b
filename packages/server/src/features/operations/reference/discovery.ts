// The discovery document: the version and the addresses of the API and of the MCP server, readable before sign-in.
import { version } from '@parley/contract/version';
import type { FastifyInstance } from 'fastify';
import type { McpAccess } from '../../../config/mcp.ts';

export function addDiscoveryRoute(
  app: FastifyInstance,
  deps: { baseUrl(): string; mcp(): McpAccess | null },
): void {
  app.get('/.well-known/parley.json', (_, reply) => {
    reply.header('cache-control', 'no-store');
    return { version, base_url: deps.baseUrl(), mcp: deps.mcp() };
  });
}
