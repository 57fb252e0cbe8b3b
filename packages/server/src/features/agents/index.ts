// Agents: who speaks for the organization.
export { agentRoutes } from './routes.ts';
export { type AgentService, agentService } from './service.ts';
