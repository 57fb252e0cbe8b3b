// Gives the console a bearer token for a few minutes when the browser has a session cookie. The API itself accepts no
// cookies, so that a page of another site cannot make a browser act there.
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../../platform/clock.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { console_token_use } from '../../identity/index.ts';
import { full_scope } from '../account-rules.ts';
import { type PageDeps, pageTools } from '../pages/page-tools.ts';
import { bodyText } from '../pages/web.ts';

const token_seconds = 300;

export type ConsoleTokenDeps = PageDeps & { wall_clock: Clock };

export function addConsoleTokenRoute(scope: FastifyInstance, deps: ConsoleTokenDeps): void {
  const { form, signedIn } = pageTools(scope, deps);

  form('/auth/console-token', async (request, reply) => {
    const signed_in = await signedIn(request);
    if (!signed_in) throw new ApiError('unauthenticated', { detail: 'No user is signed in.' });
    const { user, session } = signed_in;
    const organizations = await deps.organizations.ofUser(user.id);
    const requested = new URLSearchParams(bodyText(request)).get('organization_id');
    const chosen = requested ? organizations.find(({ id }) => id === requested) : organizations[0];
    if (!chosen) throw new ApiError('user_not_provisioned');
    const now_seconds = Math.floor(deps.wall_clock.ms() / 1000);
    const token = await (await deps.engine()).sign({
      sub: user.id,
      aud: deps.baseUrl(),
      scope: full_scope,
      organization_id: chosen.id,
      exp: now_seconds + token_seconds,
      token_use: console_token_use,
      // The token ends with the session.
      sid: session.id,
      // The time of the sign-in: renewing the token does not make an old session fresh.
      auth_time: Math.floor(session.signed_in_ms / 1000),
    });
    return reply.header('cache-control', 'no-store').send({
      token,
      expires_in_seconds: token_seconds,
      organization: { id: chosen.id, name: chosen.name },
      organizations: organizations.map(({ id, name }) => ({ id, name })),
    });
  });
}
