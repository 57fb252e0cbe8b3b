// The HTTP operations of email domains.
import { emailDomains } from '@parley/contract/channels/emails/email-domains';
import { routesOf } from '../../../platform/http/context.ts';
import type { EmailDomainService } from './service.ts';

export const emailDomainRoutes = (service: EmailDomainService) =>
  routesOf(emailDomains, {
    create: ({ body }, context) => service.create(context.organization_id, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.domain_id),
    update: ({ params, body }, context) => service.update(context, params.domain_id, body),
    resend_forward_confirmation: ({ params, body }, context) =>
      service.resendForwardConfirmation(context.organization_id, params.domain_id, body),
    delete: ({ params }, context) => service.delete(context.organization_id, params.domain_id),
    verify: ({ params }, context) => service.verify(context, params.domain_id),
  });
