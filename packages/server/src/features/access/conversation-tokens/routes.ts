// The HTTP operations of conversation tokens.
import { conversationTokens } from '@parley/contract/access/credentials/conversation-tokens';
import { routesOf } from '../../../platform/http/context.ts';
import type { ConversationTokenService } from './service.ts';

export const conversationTokenRoutes = (service: ConversationTokenService) =>
  routesOf(conversationTokens, {
    create: ({ params, body }, context) => service.create(context, params.conversation_id, body),
    list: ({ params }, context) => service.list(context.organization_id, params.conversation_id),
    revoke: ({ params }, context) => service.revoke(context, params),
  });
