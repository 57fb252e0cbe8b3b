// Serves the pages for people: sign in and up, passwords, invitations, organizations.
import { EmailAddress } from '@parley/contract/fields';
import { limits } from '@parley/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stylesheet } from './html.ts';
import { alert, authorizePath, type PageDeps, pageTools } from './page-tools.ts';
import * as pages from './pages.ts';
import { formOf, goTo, headersOf, redirectSource, sendPage } from './web.ts';

const wrong_password = 'Email and password do not belong together.';
const account_ready = 'Your account is ready. Please sign in.';

export function addPageRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { attempts, invitations, organizations, password_chars } = deps;
  const is_open = deps.sign_up === 'open';
  const { next, query, search, actorOf, signedIn, page, form, personalForm } = pageTools(scope, deps);

  const password_length = `A password has ${password_chars.min} to ${password_chars.max} characters.`;

  /** Null when the fields will do. */
  const accountProblem = (given: { name: string; email: string; password: string }): string | null => {
    if (given.name.trim() === '' || given.name.length > limits.name_chars) return 'Please give your name.';
    if (!EmailAddress.safeParse(given.email).success) return 'Please give one email address.';
    const { length } = given.password;
    return length < password_chars.min || length > password_chars.max ? password_length : null;
  };

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
    const notice = asked.get('made') === 'yes' ? { kind: 'status' as const, text: account_ready } : null;
    const target = asked.has('sig') ? authorizePath(asked) : query(request, 'next');
    return signInPage(reply, { notice, email: '', next: next(target) });
  });

  form('/auth/sign-in', async (request, reply) => {
    const field = formOf(request);
    const [email, password, target] = [field('email'), field('password'), next(field('next'))];
    await attempts.tryPassword(request.ip, email);
    const engine = await deps.engine();
    const plausible = EmailAddress.safeParse(email).success && password.length <= password_chars.max;
    const cookies = plausible ? await engine.signIn({ email, password }, headersOf(request)) : null;
    if (!cookies) return signInPage(reply, { notice: alert(wrong_password), email, next: target }, 401);
    await deps.audit.write(
      deps.db,
      { user_id: null, credential_id: null, ip: request.ip, request_id: request.id },
      { organization_id: null, action: 'user.signed_in', object_id: email.toLowerCase() },
    );
    return goTo(reply, target, cookies);
  });

  form('/auth/sign-out', async (request, reply) => {
    const cookies = await (await deps.engine()).signOut(headersOf(request));
    return goTo(reply, '/auth/sign-in', cookies);
  });

  const signUpPage = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
    sendPage(reply, pages.signUpPage({ notice, next: target, password_min: password_chars.min }), { status });
  if (is_open) {
    scope.get('/auth/sign-up', async (request, reply) =>
      signUpPage(reply, null, next(query(request, 'next'))),
    );
    form('/auth/sign-up', async (request, reply) => {
      const field = formOf(request);
      const given = { name: field('name').trim(), email: field('email'), password: field('password') };
      const target = next(field('next'));
      const problem = accountProblem(given);
      if (problem) return signUpPage(reply, alert(problem), target, 422);
      await attempts.begin(request.ip);
      await (await deps.engine()).signUp(given);
      return goTo(reply, `/auth/sign-in?made=yes&next=${encodeURIComponent(target)}`);
    });
  }

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
    const engine = await deps.engine();
    if (field('step') === 'sign-up') {
      const invitation = await invitations.open(token);
      if (!invitation) return invitationPage(request, reply, null);
      const given = { name: field('name').trim(), email: invitation.email, password: field('password') };
      const problem = accountProblem(given);
      if (problem) return invitationPage(request, reply, alert(problem), 422);
      await attempts.begin(request.ip);
      // Whoever invites holds this link too, so it proves nothing about an account that exists: only a new account gets
      // this password, and everybody else signs in first.
      await engine.signUp(given);
      const back = encodeURIComponent(`/auth/invitations/${encodeURIComponent(token)}`);
      return goTo(reply, `/auth/sign-in?made=yes&next=${back}`);
    }
    const person = await signedIn(request);
    if (!person) return goTo(reply, `/auth/sign-in?next=${encodeURIComponent(request.url)}`);
    const member = await invitations.accept(actorOf(request, person), token, person.user);
    if (member) return goTo(reply, '/auth');
    return invitationPage(request, reply, alert('This invitation is for another address.'), 403);
  });

  scope.get('/auth/passwords/:token', (_, reply) =>
    sendPage(reply, pages.newPasswordPage({ notice: null, password_min: password_chars.min })),
  );
  form('/auth/passwords/:token', async (request, reply) => {
    const { token } = request.params as { token: string };
    const password = formOf(request)('password');
    const answer = (text: string, status: number) =>
      sendPage(reply, pages.newPasswordPage({ notice: alert(text), password_min: password_chars.min }), {
        status,
      });
    if (password.length < password_chars.min || password.length > password_chars.max) {
      return answer(password_length, 422);
    }
    await attempts.begin(request.ip);
    if (await (await deps.engine()).setPassword(token, password))
      return goTo(reply, '/auth/sign-in?made=yes');
    return answer('This link was used or is too old. Ask for a new one.', 404);
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
      if (name === '' || name.length > limits.name_chars) {
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
