// Compatible endpoints: requests in the form of another mail service, for programs that exist already. They use the same
// services, rules and limits as the API.
import type { FastifyInstance } from 'fastify';
import { addResendRoutes, type ResendDeps } from './resend/routes.ts';

export const compatibleEndpoints = (deps: ResendDeps) => ({
  addHttp: (http: FastifyInstance) => addResendRoutes(http, deps),
});
