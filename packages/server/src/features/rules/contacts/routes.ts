// The HTTP operations of contacts.
import { contacts } from '@parley/contract/rules/people/contacts';
import { routesOf } from '../../../platform/http/context.ts';
import type { ContactService } from './service.ts';

export const contactRoutes = (service: ContactService) =>
  routesOf(contacts, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(context.organization_id, params.contact_id),
    update: ({ params, body }, context) => service.update(context, params.contact_id, body),
    delete: ({ params }, context) => service.delete(context, params.contact_id),
  });
