// Serves the pages for people: home, signing in and out, invitations, organizations.
import { limits } from '@parley/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasControls } from './account-terms.ts';
import { stylesheet } from './html.ts';
import { alert, authorizePath, type PageDeps, pageTools } from './page-tools.ts';
import * as pages from './pages.ts';
import { accountProblem, type addSignUpRoutes } from './sign-up-routes.ts';
import { formOf, goTo, headersOf, redirectSource, sendPage } from './web.ts';

const wrong_password = 'Email and password do not belong together.';
const signed_up: Readonly<Record<string, string>> = {
  yes: 'Your account is ready. Please sign in.',
  password: 'The new password is set. Please sign in.',
};

export function addPageRoutes(
  scope: FastifyInstance,
  deps: PageDeps,
  sign_up: Pick<ReturnType<typeof addSignUpRoutes>, 'begin'>,
): void {
  const { attempts, invitations, organizations, password_chars } = deps;
  const is_open = deps.sign_up === 'open';
  const { next, query, search, actorOf, signedIn, page, form, personalForm } = pageTools(scope, deps);

  scope.get('/auth/style.css', (_, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(stylesheet),
  );

  page('/auth', async ({ user }, _, reply) =>
    sendPage(
      reply,
      pages.homePage({
        notice: null,
        name: user.name,
        email: user.email,
        organizations: await organizations.ofUser(user.id),
        may_found: is_open,
      }),
    ),
  );

  const signInPage = (
    reply: FastifyReply,
    given: { notice: pages.Notice; email: string; next: string },
    status = 200,
  ) =>
    sendPage(reply, pages.signInPage({ ...given, may_sign_up: is_open }), {
      status,
      form_target: redirectSource(
        URL.parse(given.next, 'http://x')?.searchParams.get('redirect_uri') ?? null,
      ),
    });

  scope.get('/auth/sign-in', async (request, reply) => {
    const asked = search(request);
    const text = signed_up[asked.get('made') ?? ''];
    const notice = text === undefined ? null : { kind: 'status' as const, text };
    const target = asked.has('sig') ? authorizePath(asked) : query(request, 'next');
    return signInPage(reply, { notice, email: '', next: next(target) });
  });

  form('/auth/sign-in', async (request, reply) => {
    const field = formOf(request);
    const [email, password, target] = [field('email'), field('password'), next(field('next'))];
    const from = { ip: request.ip, request_id: request.id, headers: headersOf(request) };
    const cookies = await deps.sign_ins.signIn(from, { email, password });
    if (!cookies) return signInPage(reply, { notice: alert(wrong_password), email, next: target }, 401);
    return goTo(reply, target, cookies);
  });

  form('/auth/sign-out', async (request, reply) => {
    const cookies = await (await deps.engine()).signOut(headersOf(request));
    return goTo(reply, '/auth/sign-in', cookies);
  });

  const invitationPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    notice: pages.Notice,
    status = 200,
  ): Promise<FastifyReply> => {
    const { token } = request.params as { token: string };
    const invitation = await invitations.open(token);
    if (!invitation) {
      const text = 'This link was used, withdrawn or is too old. Ask for a new one.';
      return sendPage(reply, pages.messagePage('No such invitation', text), { status: 404 });
    }
    const person = await signedIn(request);
    return sendPage(
      reply,
      pages.invitationPage({
        notice,
        action: `/auth/invitations/${encodeURIComponent(token)}`,
        organization: invitation.organization,
        email: invitation.email,
        signed_in_as: person?.user.email ?? null,
        password_min: password_chars.min,
      }),
      { status },
    );
  };
  scope.get('/auth/invitations/:token', (request, reply) => invitationPage(request, reply, null));
  form('/auth/invitations/:token', async (request, reply) => {
    const { token } = request.params as { token: string };
    const field = formOf(request);
    if (field('step') === 'sign-up') {
      const invitation = await invitations.open(token);
      if (!invitation) return invitationPage(request, reply, null);
      const given = { name: field('name').trim(), email: invitation.email, password: field('password') };
      const problem = accountProblem(given, password_chars);
      if (problem) return invitationPage(request, reply, alert(problem), 422);
      // Whoever invites holds this link too, so it proves nothing: the code that is mailed to the address does.
      return sign_up.begin(request, reply, given, `/auth/invitations/${encodeURIComponent(token)}`);
    }
    const person = await signedIn(request);
    if (!person) return goTo(reply, `/auth/sign-in?next=${encodeURIComponent(request.url)}`);
    const member = await invitations.accept(actorOf(request, person), token, person.user);
    if (member) return goTo(reply, '/auth');
    return invitationPage(request, reply, alert('This invitation is for another address.'), 403);
  });

  const newOrganization = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
    sendPage(reply, pages.newOrganizationPage({ notice, next: target }), { status });
  if (is_open) {
    page('/auth/organizations/new', async (_, request, reply) =>
      newOrganization(reply, null, next(query(request, 'next'))),
    );
    personalForm('/auth/organizations/new', async (person, request, reply) => {
      const field = formOf(request);
      const [name, target] = [field('organization').trim(), next(field('next'))];
      if (name === '' || name.length > limits.name_chars || hasControls(name)) {
        return newOrganization(reply, alert('Please give the organization a name.'), target, 422);
      }
      await attempts.begin(request.ip);
      await organizations.found(actorOf(request, person), person.user, name);
      return goTo(reply, target);
    });
  }

  scope.get('/auth/error', (_, reply) =>
    sendPage(
      reply,
      pages.messagePage(
        'That did not work',
        'The program that sent you here asked for something this server does not know.',
      ),
      { status: 400 },
    ),
  );
}
