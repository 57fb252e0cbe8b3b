// Serves the pages for people: sign in and up, invitations, organizations, devices, consent.
import { EmailAddress } from '@parley/contract/fields';
import { limits } from '@parley/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Actor, AuditLog } from '../audit/index.ts';
import type { InvitationService, OrganizationService } from '../organizations/index.ts';
import type { AccountStore } from './account-store.ts';
import type { AttemptLimits } from './attempts.ts';
import { type DeviceLogins, readUserCode } from './device.ts';
import type { AccountEngine, SignedIn } from './engine.ts';
import { stylesheet } from './html.ts';
import * as pages from './pages.ts';
import { formOf, goTo, headersOf, redirectSource, requireOwnOrigin, safeNext, sendPage } from './web.ts';

export type PageDeps = {
  db: Database;
  clock: Clock;
  audit: AuditLog;
  engine(): Promise<AccountEngine>;
  store: AccountStore;
  organizations: OrganizationService;
  invitations: InvitationService;
  devices: DeviceLogins;
  attempts: AttemptLimits;
  baseUrl(): string;
  sign_up: 'open' | 'invitation';
  password_chars: { min: number; max: number };
};

const alert = (text: string) => ({ kind: 'alert' as const, text });
const wrong_password = 'Email and password do not belong together.';
const account_ready = 'Your account is ready. Please sign in.';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function addPageRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { attempts, invitations, organizations, devices, store, password_chars } = deps;
  const is_open = deps.sign_up === 'open';
  const next = (text: string) => safeNext(text, deps.baseUrl());
  const query = (request: FastifyRequest, name: string): string => {
    const value = (request.query as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : '';
  };
  const search = (request: FastifyRequest) => new URLSearchParams(request.url.split('?')[1] ?? '');

  const actorOf = (request: FastifyRequest, person: SignedIn): Actor & { user_id: string } => ({
    user_id: person.user.id,
    credential_id: `session:${person.session.id}`,
    ip: request.ip,
    request_id: request.id,
  });
  const signedIn = async (request: FastifyRequest) => (await deps.engine()).session(headersOf(request));

  /** Whoever is not signed in is asked to, and comes back. */
  const page = (
    path: string,
    answer: (person: SignedIn, ...rest: Parameters<Handler>) => Promise<FastifyReply>,
  ) =>
    scope.get(path, async (request, reply) => {
      const person = await signedIn(request);
      return person
        ? answer(person, request, reply)
        : goTo(reply, `/auth/sign-in?next=${encodeURIComponent(request.url)}`);
    });
  const form = (path: string, answer: Handler) =>
    scope.post(path, async (request, reply) => {
      requireOwnOrigin(request, deps.baseUrl());
      await attempts.place(request.ip);
      return answer(request, reply);
    });
  const personalForm = (
    path: string,
    answer: (person: SignedIn, ...rest: Parameters<Handler>) => Promise<FastifyReply>,
  ) =>
    form(path, async (request, reply) => {
      const person = await signedIn(request);
      return person ? answer(person, request, reply) : goTo(reply, '/auth/sign-in');
    });

  /** Null when the fields will do. */
  const accountProblem = (given: { name: string; email: string; password: string }): string | null => {
    if (given.name.trim() === '' || given.name.length > limits.name_chars) return 'Please give your name.';
    if (!EmailAddress.safeParse(given.email).success) return 'Please give one email address.';
    const { length } = given.password;
    if (length < password_chars.min || length > password_chars.max) {
      return `A password has ${password_chars.min} to ${password_chars.max} characters.`;
    }
    return null;
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
      // The link proves the invitation: a person whom an operator made has no password yet and gets this one.
      if (!(await engine.setFirstPassword(given.email, given.password))) await engine.signUp(given);
      const back = encodeURIComponent(`/auth/invitations/${encodeURIComponent(token)}`);
      return goTo(reply, `/auth/sign-in?made=yes&next=${back}`);
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
      if (name === '' || name.length > limits.name_chars) {
        return newOrganization(reply, alert('Please give the organization a name.'), target, 422);
      }
      await attempts.begin(request.ip);
      await organizations.found(actorOf(request, person), person.user, name);
      return goTo(reply, target);
    });
  }

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
  const showDevice = async (person: SignedIn, reply: FastifyReply, typed: string): Promise<FastifyReply> => {
    const user_code = readUserCode(typed);
    await attempts.typeDeviceCode(person.user.id);
    const login = user_code && (await devices.look(user_code));
    if (!login)
      return sendPage(reply, pages.deviceCodePage({ notice: alert(unknown_code) }), { status: 404 });
    const choices = await organizations.ofUser(person.user.id);
    if (choices.length === 0) return homeless(reply, `/auth/device?user_code=${user_code}`);
    const shown = { notice: null, user_code, client: login.client, organizations: choices };
    return sendPage(reply, pages.deviceApprovalPage(shown));
  };
  page('/auth/device', async (person, request, reply) => {
    const typed = query(request, 'user_code');
    return typed === ''
      ? sendPage(reply, pages.deviceCodePage({ notice: null }))
      : showDevice(person, reply, typed);
  });
  personalForm('/auth/device', async (person, request, reply) => {
    const field = formOf(request);
    const [step, typed] = [field('step'), field('user_code')];
    if (step === 'look') return showDevice(person, reply, typed);
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
    if (!decided)
      return sendPage(reply, pages.deviceCodePage({ notice: alert(unknown_code) }), { status: 404 });
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
        client: client.name ?? 'A program without a name',
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

/** The request as the program made it, without what the engine added on the way to our page. */
function authorizePath(asked: URLSearchParams): string {
  const kept = new URLSearchParams(
    [...asked].filter(([name]) => name !== 'sig' && name !== 'exp' && !name.startsWith('ba_')),
  );
  const prompts = (kept.get('prompt') ?? '')
    .split(' ')
    .filter((prompt) => prompt !== '' && prompt !== 'login');
  if (prompts.length > 0) kept.set('prompt', prompts.join(' '));
  else kept.delete('prompt');
  return `/auth/oauth2/authorize?${kept}`;
}
