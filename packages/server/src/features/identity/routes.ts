// The HTTP operations of identity.
import { identity } from '@parley/contract/identity';
import { routesOf } from '../../platform/http/context.ts';

export const identityRoutes = () =>
  routesOf(identity, {
    whoami: (_, context) => context.caller.identity,
  });
