// The HTTP operations of MCP servers.
import { mcpServers } from '@parley/contract/agents/mcp-servers';
import { routesOf } from '../../../platform/http/context.ts';
import type { McpService } from './service.ts';

export const mcpServerRoutes = (service: McpService) =>
  routesOf(mcpServers, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.server_id),
    update: ({ params, body }, context) => service.update(context, params.server_id, body),
    delete: ({ params }, context) => service.delete(context, params.server_id),
    refresh: ({ params }, context) => service.refresh(context.organization_id, params.server_id),
  });
