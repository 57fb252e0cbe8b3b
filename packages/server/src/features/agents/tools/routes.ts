// The HTTP operations of tools.
import { tools } from '@parley/contract/agents/tools';
import { routesOf } from '../../../platform/http/context.ts';
import type { ToolService } from './service.ts';

export const toolRoutes = (service: ToolService) =>
  routesOf(tools, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.tool_id),
    update: ({ params, body }, context) => service.update(context, params.tool_id, body),
    delete: ({ params }, context) => service.delete(context, params.tool_id),
    test: ({ params, body }, context) => service.test(context, params.tool_id, body),
    rotate_secret: ({ params }, context) => service.rotateSecret(context, params.tool_id),
  });
