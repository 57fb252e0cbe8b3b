// Serves the pages on which a person lets a program act in their name: device codes and OAuth consent.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { withoutControls } from './account-terms.ts';
import { readUserCode } from './device.ts';
import { deviceApprovalPage, deviceCodePage } from './device-pages.ts';
import type { SignedIn } from './engine.ts';
import { alert, authorizePath, type PageDeps, pageTools } from './page-tools.ts';
import * as pages from './pages.ts';
import { formOf, goTo, headersOf, redirectSource, sendPage } from './web.ts';

/** Names that were registered before such characters were refused are shown without them. */
const clientName = (name: string | null): string =>
  (name === null ? '' : withoutControls(name)) || 'A program without a name';

export function addApprovalRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { attempts, organizations, devices, store } = deps;
  const { query, search, actorOf, page, personalForm } = pageTools(scope, deps);
  const is_open = deps.sign_up === 'open';

  /** Null, and the answer is sent, when the person is in no organization yet. */
  const homeless = (reply: FastifyReply, path: string): FastifyReply =>
    is_open
      ? goTo(reply, `/auth/organizations/new?next=${encodeURIComponent(path)}`)
      : sendPage(
          reply,
          pages.messagePage('No organization', 'You are in no organization yet. Ask for an invitation.'),
          {
            status: 403,
          },
        );

  const unknown_code = 'There is no such code, or it is too old. Check it on the device.';
  const showDevice = async (
    person: SignedIn,
    reply: FastifyReply,
    typed: string,
    opened_by_link: boolean,
  ): Promise<FastifyReply> => {
    const user_code = readUserCode(typed);
    await attempts.typeDeviceCode(person.user.id);
    const login = user_code && (await devices.look(user_code));
    if (!login) return sendPage(reply, deviceCodePage({ notice: alert(unknown_code) }), { status: 404 });
    const choices = await organizations.ofUser(person.user.id);
    if (choices.length === 0) return homeless(reply, `/auth/device?user_code=${user_code}`);
    return sendPage(
      reply,
      deviceApprovalPage({ user_code, ...login, organizations: choices, opened_by_link }),
    );
  };
  page('/auth/device', async (person, request, reply) => {
    const typed = query(request, 'user_code');
    return typed === ''
      ? sendPage(reply, deviceCodePage({ notice: null }))
      : showDevice(person, reply, typed, true);
  });
  personalForm('/auth/device', async (person, request, reply) => {
    const field = formOf(request);
    const [step, typed] = [field('step'), field('user_code')];
    if (step === 'look') return showDevice(person, reply, typed, false);
    await attempts.typeDeviceCode(person.user.id);
    const user_code = readUserCode(typed);
    const choices = await organizations.ofUser(person.user.id);
    const organization = choices.find((each) => each.id === field('organization_id'));
    const approved = step === 'approve';
    const decided =
      user_code &&
      organization &&
      (await devices.decide(actorOf(request, person), {
        user_code,
        organization_id: organization.id,
        approved,
      }));
    if (!decided) return sendPage(reply, deviceCodePage({ notice: alert(unknown_code) }), { status: 404 });
    const said = approved
      ? pages.messagePage('Device connected', 'You can close this page and go back to the device.')
      : pages.messagePage('Device refused', 'The device gets no key.');
    return sendPage(reply, said);
  });

  const stale = (reply: FastifyReply) =>
    sendPage(
      reply,
      pages.messagePage('This request is too old', 'Start again from the program that sent you here.'),
      {
        status: 400,
      },
    );
  page('/auth/consent', async (person, request, reply) => {
    const asked = search(request);
    const redirect_uri = asked.get('redirect_uri');
    const client = await store.client(asked.get('client_id') ?? '');
    const place = URL.parse(redirect_uri ?? '');
    if (!client || !place || !asked.has('sig')) return stale(reply);
    const choices = await organizations.ofUser(person.user.id);
    if (choices.length === 0) return homeless(reply, authorizePath(asked));
    return sendPage(
      reply,
      pages.consentPage({
        notice: null,
        oauth_query: asked.toString(),
        client: clientName(client.name),
        redirect_host: place.host || place.protocol,
        scopes: (asked.get('scope') ?? '').split(' ').filter((scope) => scope !== ''),
        organizations: choices,
        chosen: person.session.organization_id,
      }),
      { form_target: redirectSource(redirect_uri) },
    );
  });
  personalForm('/auth/consent', async (person, request, reply) => {
    const field = formOf(request);
    const allowed = field('decision') === 'allow';
    const choices = await organizations.ofUser(person.user.id);
    const organization = choices.find((each) => each.id === field('organization_id'));
    if (allowed && !organization) return stale(reply);
    if (organization) await store.chooseOrganization(organization.id, person.session.id);
    const engine = await deps.engine();
    const target = await engine.consent(headersOf(request), field('oauth_query'), allowed);
    if (!target) return stale(reply);
    const asked = new URLSearchParams(field('oauth_query'));
    await deps.audit.write(deps.db, actorOf(request, person), {
      organization_id: organization?.id ?? null,
      action: allowed ? 'oauth_client.allowed' : 'oauth_client.denied',
      object_id: asked.get('client_id'),
    });
    return goTo(reply, target);
  });
}
