// The HTTP operations of provider settings.
import { providers } from '@parley/contract/access/providers';
import { routesOf } from '../../../platform/http/context.ts';
import type { ProviderSettings } from './service.ts';

export const providerRoutes = (settings: ProviderSettings) =>
  routesOf(providers, {
    list: (_, context) => settings.list(context.organization_id),
    set: ({ params, body }, context) => settings.set(context, params.layer, body),
    activate: ({ params, body }, context) => settings.activate(context, params.layer, body.provider),
    test: ({ params, body }, context) => settings.test(context.organization_id, params.layer, body.provider),
    remove: ({ params }, context) => settings.remove(context, params.layer, params.provider),
  });
