// The HTTP operations of conversations.
import { conversations } from '@parley/contract/inbox/conversations';
import { routesOf } from '../../../platform/http/context.ts';
import type { ConversationService } from './service.ts';

export const conversationRoutes = (service: ConversationService) =>
  routesOf(conversations, {
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context, params.conversation_id),
    items: ({ params, query }, context) => service.items(context, params.conversation_id, query),
    update: ({ params, body }, context) => service.update(context, params.conversation_id, body),
    mark_read: ({ params, body }, context) =>
      service.markRead(context.organization_id, params.conversation_id, body),
    reply: ({ params, body }, context) => service.reply(context, params.conversation_id, body),
    takeover: ({ params, body }, context) => service.takeover(context, params.conversation_id, body.reason),
    release: ({ params }, context) => service.release(context, params.conversation_id),
    merge: ({ params, body }, context) => service.merge(context, params.conversation_id, body.into),
  });
