// Agents: stored settings (prompt, voice, language, tools) with which an AI speaks on a call or answers a text.
import { agentRoutes } from './routes.ts';
import { agentService } from './service.ts';

export type { AgentService } from './service.ts';

export function agentFeature(deps: Parameters<typeof agentService>[0]) {
  const service = agentService(deps);
  return { service, routes: [agentRoutes(service)] };
}
