// The HTTP operations of identity and of issued keys.
import { apiKeys } from '@parley/contract/access/credentials/api-keys';
import { identity } from '@parley/contract/access/identity';
import { routesOf } from '../../../platform/http/context.ts';
import type { ApiKeyService } from './keys/api-keys.ts';

export const identityRoutes = () => routesOf(identity, { whoami: (_, { caller }) => caller.identity });

export const apiKeyRoutes = (service: ApiKeyService) =>
  routesOf(apiKeys, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context, query),
    revoke: ({ params }, context) => service.revoke(context, params.api_key_id),
  });
