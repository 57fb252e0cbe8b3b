// MCP servers: the tools of an organization's own servers, allowed one by one and bound to their definition.
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { guardedAgentPool } from '../tools/index.ts';
import { mcpToolsFor } from './agent-tools.ts';
import { refreshJob } from './refresh.ts';
import { mcpServerRoutes } from './routes.ts';
import { type McpServiceDeps, mcpFacts, mcpService } from './service.ts';
import { mcpServerStore } from './store.ts';

export const mcp_server_sealed_columns: readonly SealedColumn[] = [
  { table: 'mcp_servers', column: 'headers_sealed' },
];

export function mcpServerFeature(feature: Omit<McpServiceDeps, 'store' | 'pool'>) {
  const pool = guardedAgentPool(feature.policy);
  const deps = { ...feature, store: mcpServerStore(feature.db), pool };
  return {
    routes: [mcpServerRoutes(mcpService(deps))],
    jobs: [refreshJob(deps)],
    /** What a list of entries needs to know about the MCP servers in it. */
    facts: mcpFacts(deps),
    /** The tools of MCP servers among the entries of an agent. */
    toolsFor: mcpToolsFor(deps),
    close: pool.close,
  };
}
export type McpServerFeature = ReturnType<typeof mcpServerFeature>;
