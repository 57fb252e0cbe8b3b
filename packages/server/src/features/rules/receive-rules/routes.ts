// The HTTP operations of receive rules.
import { receiveRules } from '@parley/contract/rules/receive-rules';
import { routesOf } from '../../../platform/http/context.ts';
import type { ReceiveRuleService } from './service.ts';

export const receiveRuleRoutes = (service: ReceiveRuleService) =>
  routesOf(receiveRules, {
    list: ({ query }, context) => service.list(context.organization_id, query),
    create: ({ body }, context) => service.create(context, body),
    settings: (_, context) => service.settings(context.organization_id),
    update_settings: ({ body }, context) => service.updateSettings(context, body),
    get: ({ params }, context) => service.get(context.organization_id, params.receive_rule_id),
    update: ({ params, body }, context) => service.update(context, params.receive_rule_id, body),
    delete: ({ params }, context) => service.delete(context, params.receive_rule_id),
  });
