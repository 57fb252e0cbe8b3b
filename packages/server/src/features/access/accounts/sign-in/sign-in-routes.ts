// Serves the sign-in page, and signing out.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { subjectOf } from '../../identity/index.ts';
import * as pages from '../pages/account-pages.ts';
import { alert, authorizePath, type PageDeps, pageTools, query, searchParams } from '../pages/page-tools.ts';
import { formOf, headersOf, redirectSource, redirectTo, sendPage } from '../pages/web.ts';

const wrong_password = 'The email or the password is wrong.';
const notices: Readonly<Record<string, string>> = {
  'account-created': 'Your account is ready. Please sign in.',
  'password-changed': 'Your new password is set. Please sign in.',
};

export function addSignInRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { next, form, signedIn } = pageTools(scope, deps);

  const show = (
    reply: FastifyReply,
    page: { notice: pages.Notice; email: string; next: string; stay: boolean },
    status = 200,
  ) =>
    sendPage(reply, pages.signInPage({ ...page, may_sign_up: deps.sign_up === 'open' }), {
      status,
      form_target: redirectSource(URL.parse(page.next, 'http://x')?.searchParams.get('redirect_uri') ?? null),
    });

  scope.get('/auth/sign-in', async (request, reply) => {
    const params = searchParams(request);
    const text = notices[params.get('notice') ?? ''];
    const notice = text === undefined ? null : { kind: 'status' as const, text };
    // better-auth signs the authorization requests that it redirects here.
    const target = params.has('sig') ? authorizePath(params) : query(request, 'next');
    return show(reply, { notice, email: '', next: next(target), stay: false });
  });

  form('/auth/sign-in', async (request, reply) => {
    const field = formOf(request);
    const [email, password, target] = [field('email'), field('password'), next(field('next'))];
    const from = { ip: request.ip, request_id: request.id, headers: headersOf(request) };
    const stay = field('stay') === 'yes';
    const cookies = await deps.sign_ins.signIn(from, { email, password, stay });
    if (!cookies) return show(reply, { notice: alert(wrong_password), email, next: target, stay }, 401);
    return redirectTo(reply, target, cookies);
  });

  form('/auth/sign-out', async (request, reply) => {
    const user = await signedIn(request);
    const cookies = await (await deps.engine()).signOut(headersOf(request));
    // Console tokens of the session end on every process.
    if (user) await deps.db.transaction((tx) => deps.changes.write(tx, subjectOf.user(user.user.id)));
    return redirectTo(reply, '/auth/sign-in', cookies);
  });
}
