// Lets the console in: whoever is signed in by cookie gets a bearer token for some minutes. The API itself takes no cookie,
// so that no page elsewhere can make a browser do anything there.
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { console_token_use } from '../identity/index.ts';
import { full_scope } from './account-terms.ts';
import { type PageDeps, pageTools } from './page-tools.ts';
import { bodyText } from './web.ts';

const token_seconds = 300;

export function addConsoleTokenRoute(
  scope: FastifyInstance,
  deps: PageDeps & { wall_clock: Clock; audience(): string },
): void {
  const { form, signedIn } = pageTools(scope, deps);

  form('/auth/console-token', async (request, reply) => {
    const person = await signedIn(request);
    if (!person) throw new ApiError('unauthenticated', { detail: 'Nobody is signed in.' });
    const organizations = await deps.organizations.ofUser(person.user.id);
    const asked = new URLSearchParams(bodyText(request)).get('organization_id');
    const chosen = asked ? organizations.find(({ id }) => id === asked) : organizations[0];
    if (!chosen) throw new ApiError('user_not_provisioned');
    const now_seconds = Math.floor(deps.wall_clock.ms() / 1000);
    const token = await (await deps.engine()).sign({
      sub: person.user.id,
      aud: deps.audience(),
      scope: full_scope,
      organization_id: chosen.id,
      exp: now_seconds + token_seconds,
      token_use: console_token_use,
      // When they typed the password: renewing the token does not make an old session fresh again.
      auth_time: Math.floor(person.session.signed_in_ms / 1000),
    });
    return reply.header('cache-control', 'no-store').send({
      token,
      expires_in_seconds: token_seconds,
      organization: { id: chosen.id, name: chosen.name },
      organizations: organizations.map(({ id, name }) => ({ id, name })),
    });
  });
}
