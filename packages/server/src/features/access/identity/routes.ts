// The HTTP operations of identity and of issued keys.
import { apiKeys } from '@parley/contract/access/credentials/api-keys';
import { type Identity, identity } from '@parley/contract/access/identity';
import { routesOf } from '../../../platform/http/context.ts';
import { JsonText } from '../../../platform/http/json-text.ts';
import type { ApiKeyService } from './keys/api-keys.ts';

export function identityRoutes() {
  // A cached caller often repeats this request; its response is serialized once.
  const texts = new WeakMap<Identity, JsonText>();
  return routesOf(identity, {
    whoami(_, context) {
      const own = context.caller.identity;
      let text = texts.get(own);
      if (!text) {
        text = new JsonText(JSON.stringify(own));
        texts.set(own, text);
      }
      return text;
    },
  });
}

export const apiKeyRoutes = (service: ApiKeyService) =>
  routesOf(apiKeys, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context, query),
    revoke: ({ params }, context) => service.revoke(context, params.api_key_id),
  });
