// The HTTP operations of verifications.
import { verifications } from '@parley/contract/channels/numbers/verifications';
import { type Context, routesOf } from '../../../platform/http/context.ts';
import type { VerificationService } from './service.ts';

const refOf = ({ organization_id }: Context, params: { verification_id: string }) => ({
  organization_id,
  id: params.verification_id,
});

export const verificationRoutes = (service: VerificationService) =>
  routesOf(verifications, {
    requirements: ({ query }, context) => service.requirements(context.organization_id, query),
    create: ({ body }, context) => service.create(context.organization_id, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params }, context) => service.get(refOf(context, params)),
    update: ({ params, body }, context) => service.update(refOf(context, params), body),
    upload_document: ({ params, files }, context) => service.upload(refOf(context, params), files),
    delete_document: ({ params }, context) =>
      service.deleteDocument(refOf(context, params), params.document_id),
    submit: ({ params }, context) => service.submit(refOf(context, params)),
    cancel: ({ params }, context) => service.cancel(refOf(context, params)),
    list_events: ({ params, query }, context) => service.listEvents(refOf(context, params), query),
    record: ({ params, body }) => service.record(params.organization_id, body),
  });
