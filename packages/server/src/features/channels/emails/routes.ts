// The HTTP operations of emails.
import { emails } from '@parley/contract/channels/emails/emails';
import { routesOf } from '../../../platform/http/context.ts';
import { type ThreadsOf, withinConversation } from '../../../platform/http/conversation-scope.ts';
import { requireReadable } from './read/readable.ts';
import { requireSent } from './send/send-email.ts';
import type { EmailService } from './service.ts';

export const emailRoutes = (service: EmailService, threadsOf: ThreadsOf) =>
  routesOf(emails, {
    create: async ({ body }, context) =>
      requireSent(await service.create(context.organization_id, body, context)),
    list: async ({ query }, context) =>
      service.list(context.organization_id, await withinConversation(context, threadsOf, query)),
    stats: ({ query }, context) => service.stats(context.organization_id, query),
    wait: async ({ query }, context) =>
      service.wait(context.organization_id, await withinConversation(context, threadsOf, query), context),
    get: async ({ params, query }, context) =>
      requireReadable(context, await service.get(context.organization_id, params.email_id, query.view)),
    reply: async ({ params, body }, context) =>
      requireSent(await service.reply(context.organization_id, params.email_id, body, context)),
    forward: async ({ params, body }, context) =>
      requireSent(await service.forward(context.organization_id, params.email_id, body, context)),
    update: ({ params, body }, context) => service.update(context.organization_id, params.email_id, body),
    cancel: ({ params }, context) => service.cancel(context.organization_id, params.email_id),
    release: ({ params }, context) => service.release(context, params.email_id),
    quarantine: ({ params }, context) => service.quarantine(context, params.email_id),
    events: ({ params, query }, context) => service.events(context.organization_id, params.email_id, query),
    preview: ({ params, query }, context) => service.preview(context.organization_id, params.email_id, query),
    raw: ({ params }, context) => service.raw(context.organization_id, params.email_id),
    attachment: ({ params }, context) => service.attachment(context, params.email_id, params.attachment_id),
  });
