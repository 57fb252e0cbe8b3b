// The HTTP operation of the console: a link that opens it.
import { signInLinks } from '@parley/contract/access/credentials/sign-in-links';
import { type Caller, routesOf } from '../../../platform/http/context.ts';
import type { OneTimeSignIn } from './one-time-sign-in.ts';

/** The link signs in with the shared key, so only for who has it already: not with the previous one during a rotation. */
const maySignIn = ({ credential_kind, credential_id }: Caller): boolean =>
  credential_kind === 'operator_key' || credential_id === 'shared_key';

export const consoleRoutes = (sign_in: OneTimeSignIn | null, baseUrl: () => string) =>
  routesOf(signInLinks, {
    create: async (_, { caller }) => {
      if (!sign_in || !maySignIn(caller)) return { url: `${baseUrl()}/`, expires_at: null };
      const url = await sign_in.createLink();
      return { url, expires_at: sign_in.expiresAt()! };
    },
  });
