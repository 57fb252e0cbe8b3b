// The HTTP operations of tool calls.
import { toolCalls } from '@parley/contract/agents/tool-calls';
import { routesOf } from '../../../platform/http/context.ts';
import { type ThreadsOf, withinConversation } from '../../../platform/http/conversation-scope.ts';
import type { ToolCallService } from './service.ts';

export const toolCallRoutes = (service: ToolCallService, threadsOf: ThreadsOf) =>
  routesOf(toolCalls, {
    list: async ({ query }, context) =>
      service.list(context.organization_id, await withinConversation(context, threadsOf, query)),
    answer: ({ params, body }, context) => service.answer(context.organization_id, params.call_id, body),
    answer_in_conversation: ({ params, body }, context) =>
      service.answerInConversation(context.organization_id, params.conversation_id, body),
  });
