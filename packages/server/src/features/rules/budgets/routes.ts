// The HTTP operations of budgets.
import { budgets } from '@parley/contract/rules/spending/budgets';
import { routesOf } from '../../../platform/http/context.ts';
import type { BudgetService } from './service.ts';

export const budgetRoutes = (service: BudgetService) =>
  routesOf(budgets, {
    create: ({ body }, context) => service.create(context, body),
    list: (_, context) => service.list(context.organization_id),
    get: ({ params }, context) => service.get(context.organization_id, params.budget_id),
    update: ({ params, body }, context) => service.update(context, params.budget_id, body),
    delete: ({ params }, context) => service.delete(context, params.budget_id),
  });
