// Serves the OAuth consent page, on which a user allows or denies a program to act in their name.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { withoutControls } from '../account-rules.ts';
import * as pages from '../pages/account-pages.ts';
import { sendNoOrganization } from '../pages/no-organization.ts';
import { actorOf, authorizePath, type PageDeps, pageTools, searchParams } from '../pages/page-tools.ts';
import { formOf, headersOf, redirectSource, redirectTo, sendPage } from '../pages/web.ts';

/** Names from before such characters were refused are shown without them. */
const clientName = (name: string | null): string =>
  (name === null ? '' : withoutControls(name)) || 'A program without a name';

const sendExpired = (reply: FastifyReply) =>
  sendPage(
    reply,
    pages.messagePage('This request has expired', 'Please start again from the program that sent you here.'),
    { status: 400 },
  );

export function addConsentRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { organizations, store } = deps;
  const { page, userForm } = pageTools(scope, deps);

  page('/auth/consent', async ({ user, session }, request, reply) => {
    const params = searchParams(request);
    const redirect_uri = params.get('redirect_uri');
    const client = await store.findClient(params.get('client_id') ?? '');
    const redirect_url = URL.parse(redirect_uri ?? '');
    if (!client || !redirect_url || !params.has('sig')) return sendExpired(reply);
    const choices = await organizations.ofUser(user.id);
    if (choices.length === 0) return sendNoOrganization(deps, reply, authorizePath(params));
    return sendPage(
      reply,
      pages.consentPage({
        notice: null,
        oauth_query: params.toString(),
        client: clientName(client.name),
        redirect_host: redirect_url.host || redirect_url.protocol,
        scopes: (params.get('scope') ?? '').split(' ').filter((scope) => scope !== ''),
        organizations: choices,
        chosen: session.organization_id,
      }),
      { form_target: redirectSource(redirect_uri) },
    );
  });

  userForm('/auth/consent', async (user, request, reply) => {
    const field = formOf(request);
    const is_allowed = field('decision') === 'allow';
    const choices = await organizations.ofUser(user.user.id);
    const organization = choices.find((each) => each.id === field('organization_id'));
    if (is_allowed && !organization) return sendExpired(reply);
    if (organization) await store.chooseOrganization(organization.id, user.session.id);
    const engine = await deps.engine();
    const target = await engine.consent(headersOf(request), field('oauth_query'), is_allowed);
    if (!target) return sendExpired(reply);
    const params = new URLSearchParams(field('oauth_query'));
    await deps.audit.write(deps.db, actorOf(request, user), {
      organization_id: organization?.id ?? null,
      action: is_allowed ? 'oauth_client.allowed' : 'oauth_client.denied',
      object_id: params.get('client_id'),
    });
    return redirectTo(reply, target);
  });
}
