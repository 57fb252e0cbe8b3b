// Tools: HTTP endpoints of an organization that its agents call, with sealed headers and signed requests.
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { guardedAgentPool } from './agent-pool.ts';
import type { ToolServiceDeps } from './agent-tools.ts';
import { toolsFor } from './agent-tools.ts';
import { toolRoutes } from './routes.ts';
import { toolFacts, toolService } from './service.ts';
import { toolStore } from './store.ts';

export { type AgentPool, guardedAgentPool } from './agent-pool.ts';
export { checkEndpoint } from './check-endpoint.ts';
export { contentOf } from './read-answer.ts';
export { callDetail } from './request-failure.ts';

export const tool_sealed_columns: readonly SealedColumn[] = [
  { table: 'tools', column: 'headers_sealed' },
  { table: 'tools', column: 'secret_sealed' },
  { table: 'tools', column: 'previous_secret_sealed' },
];

export type ToolFeatureDeps = Omit<ToolServiceDeps, 'store' | 'pool'>;

export function toolFeature(feature: ToolFeatureDeps) {
  const pool = guardedAgentPool(feature.policy);
  const deps = { ...feature, store: toolStore(feature.db), pool };
  return {
    routes: [toolRoutes(toolService(deps))],
    /** What a list of entries needs to know about the HTTP tools in it. */
    facts: toolFacts(deps),
    /** The HTTP tools among the entries of an agent, in their order. */
    toolsFor: toolsFor(deps),
    close: pool.close,
  };
}
export type ToolFeature = ReturnType<typeof toolFeature>;
