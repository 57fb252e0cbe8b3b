// Serves the page of an invitation: the invited person joins with their account, or creates one first.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as pages from '../pages/account-pages.ts';
import { actorOf, alert, type PageDeps, pageTools, signInPath } from '../pages/page-tools.ts';
import { formOf, redirectTo, sendPage } from '../pages/web.ts';
import { accountProblem, startSignUp } from './start-sign-up.ts';

const path = '/auth/invitations/:token';
const tokenOf = (request: FastifyRequest) => (request.params as { token: string }).token;
const pathOf = (token: string) => `/auth/invitations/${encodeURIComponent(token)}`;

export function addInvitationRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { invitations, password_chars } = deps;
  const { signedIn, form } = pageTools(scope, deps);

  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    notice: pages.Notice,
    status = 200,
  ): Promise<FastifyReply> => {
    const token = tokenOf(request);
    const invitation = await invitations.findOpen(token);
    if (!invitation) {
      const text = 'This link was already used, was withdrawn or has expired. Please ask for a new one.';
      return sendPage(reply, pages.messagePage('Invitation not found', text), { status: 404 });
    }
    const user = await signedIn(request);
    return sendPage(
      reply,
      pages.invitationPage({
        notice,
        action: pathOf(token),
        organization: invitation.organization,
        email: invitation.email,
        signed_in_as: user?.user.email ?? null,
        password_min: password_chars.min,
      }),
      { status },
    );
  };

  const signUp = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const field = formOf(request);
    const token = tokenOf(request);
    const invitation = await invitations.findOpen(token);
    if (!invitation) return show(request, reply, null);
    const account = { name: field('name').trim(), email: invitation.email, password: field('password') };
    const problem = accountProblem(account, password_chars);
    if (problem) return show(request, reply, alert(problem), 422);
    // The inviting person has this link too, so the link does not verify the address. The mailed code does.
    return startSignUp(deps, request, reply, account, pathOf(token));
  };

  scope.get(path, (request, reply) => show(request, reply, null));
  form(path, async (request, reply) => {
    if (formOf(request)('step') === 'sign-up') return signUp(request, reply);
    const user = await signedIn(request);
    if (!user) return redirectTo(reply, signInPath(request));
    const member = await invitations.accept(actorOf(request, user), tokenOf(request), user.user);
    if (member) return redirectTo(reply, '/auth');
    return show(request, reply, alert('This invitation is for another email address.'), 403);
  });
}
