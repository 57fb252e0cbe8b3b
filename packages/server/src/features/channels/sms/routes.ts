// The HTTP operations of texts and of their sandbox.
import { type Sms, sandboxSms, sms } from '@parley/contract/channels/sms/sms';
import { ApiError } from '../../../platform/http/api-error.ts';
import { routesOf } from '../../../platform/http/context.ts';
import {
  requireInConversation,
  type ThreadsOf,
  withinConversation,
} from '../../../platform/http/conversation-scope.ts';
import type { SmsService } from './service.ts';

export const smsRoutes = (service: SmsService, threadsOf: ThreadsOf) =>
  routesOf(sms, {
    create: ({ body }, context) => service.create(context, body),
    list: async ({ query }, context) =>
      service.list(context.organization_id, await withinConversation(context, threadsOf, query)),
    stats: ({ query }, context) => service.stats(context.organization_id, query),
    wait: async ({ query }, context) =>
      service.wait(context.organization_id, await withinConversation(context, threadsOf, query), context),
    get: async ({ params }, context) =>
      requireInConversation(context, await service.get(context.organization_id, params.sms_id)),
    update: ({ params, body }, context) =>
      service.update({ organization_id: context.organization_id, id: params.sms_id }, body),
    cancel: ({ params }, context) =>
      service.cancel({ organization_id: context.organization_id, id: params.sms_id }),
    get_sender_id: (_, context) => service.senderId(context.organization_id),
    update_sender_id: ({ body }, context) => service.setSenderId(context.organization_id, body),
    list_suppressions: ({ query }, context) => service.listSuppressions(context.organization_id, query),
    create_suppression: ({ body }, context) => service.suppress(context, body.recipient),
    delete_suppression_of: ({ query }, context) =>
      service.deleteSuppression(context, { recipient: query.recipient }),
    delete_suppression: ({ params }, context) =>
      service.deleteSuppression(context, { id: params.sms_suppression_id }),
  });

export const sandboxSmsRoutes = (deps: {
  /** Null if the organization does not have the number. */
  receive(organization_id: string, text: { from: string; to: string; body: string }): Promise<Sms | null>;
}) =>
  routesOf(sandboxSms, {
    async receive({ body }, context) {
      const received = await deps.receive(context.organization_id, body);
      if (!received) throw new ApiError('number_not_yours', { path: 'body.to' });
      return received;
    },
  });
