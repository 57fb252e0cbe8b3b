// The HTTP operations of contact rules.
import { contactRules } from '@parley/contract/rules/people/contact-rules';
import { routesOf } from '../../../platform/http/context.ts';
import type { ContactRulesService } from './contact-rules.ts';

export const contactRulesRoutes = (service: ContactRulesService) =>
  routesOf(contactRules, {
    get: (_, context) => service.get(context.organization_id),
    set: ({ body }, context) => service.set(context, body),
  });
