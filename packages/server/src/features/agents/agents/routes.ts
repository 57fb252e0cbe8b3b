// The HTTP operations of agents.
import { agents } from '@parley/contract/agents/agents';
import { routesOf } from '../../../platform/http/context.ts';
import { creatorOf } from './creator.ts';
import type { AgentService } from './service.ts';

export const agentRoutes = (service: AgentService) =>
  routesOf(agents, {
    create: ({ body }, context) => service.create(context.organization_id, body, creatorOf(context.caller)),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.agent_id),
    update: ({ params, body }, context) => service.update(context.organization_id, params.agent_id, body),
    delete: ({ params }, context) => service.delete(context.organization_id, params.agent_id),
  });
