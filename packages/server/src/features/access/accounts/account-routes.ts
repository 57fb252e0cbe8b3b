// Registers the account pages and the routes for programs.
import type { FastifyInstance } from 'fastify';
import { addDeviceRoutes } from './device/device-routes.ts';
import { addDeviceTokenRoutes } from './device/device-token-routes.ts';
import { addConsentRoutes } from './oauth/consent-routes.ts';
import { addOauthRoutes } from './oauth/oauth-routes.ts';
import type { ProtocolDeps } from './oauth/protocol-http.ts';
import { protocolHttp } from './oauth/protocol-http.ts';
import { addHomeRoutes } from './pages/home-routes.ts';
import type { PageDeps } from './pages/page-tools.ts';
import { acceptTextBodies, showErrorsAsPages } from './pages/web.ts';
import { addConsoleTokenRoute, type ConsoleTokenDeps } from './sign-in/console-token.ts';
import { addPasswordRoutes } from './sign-in/password-routes.ts';
import { addSignInRoutes } from './sign-in/sign-in-routes.ts';
import { addInvitationRoutes } from './sign-up/invitation-routes.ts';
import { addSignUpRoutes } from './sign-up/sign-up-routes.ts';

export type AccountRouteDeps = PageDeps & ConsoleTokenDeps & ProtocolDeps;

export function addAccountRoutes(http: FastifyInstance, deps: AccountRouteDeps): void {
  http.register(async (scope) => {
    acceptTextBodies(scope);
    showErrorsAsPages(scope);
    addHomeRoutes(scope, deps);
    addSignInRoutes(scope, deps);
    addSignUpRoutes(scope, deps);
    addInvitationRoutes(scope, deps);
    addPasswordRoutes(scope, deps);
    addDeviceRoutes(scope, deps);
    addConsentRoutes(scope, deps);
    addConsoleTokenRoute(scope, deps);
    const protocol = protocolHttp(scope, deps);
    addDeviceTokenRoutes(protocol, deps);
    addOauthRoutes(scope, protocol, deps);
    protocol.addPreflightRoutes();
  });
}
