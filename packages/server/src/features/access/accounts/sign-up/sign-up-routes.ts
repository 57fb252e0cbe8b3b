// Serves the pages on which people create an account: the form, and the code that was mailed to them.
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as pages from '../pages/account-pages.ts';
import { alert, anonymousActor, type PageDeps, pageTools, query } from '../pages/page-tools.ts';
import { cookieOf, formOf, redirectTo, sendPage } from '../pages/web.ts';
import { codePage } from './sign-up-pages.ts';
import { accountProblem, signUpCookie, signUpCookieName, startSignUp } from './start-sign-up.ts';

export function addSignUpRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { next, form } = pageTools(scope, deps);
  if (deps.sign_up === 'open') addFormRoutes(scope, deps);

  const show = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
    sendPage(reply, codePage({ notice, next: target }), { status });

  scope.get('/auth/sign-up/code', async (request, reply) => show(reply, null, next(query(request, 'next'))));
  form('/auth/sign-up/code', async (request, reply) => {
    const field = formOf(request);
    const target = next(field('next'));
    const token = cookieOf(request, signUpCookieName(deps));
    const result = await deps.sign_ups.finish(anonymousActor(request), token, field('code'));
    if (result === 'wrong_code') return show(reply, alert('The code is wrong.'), target, 422);
    if (result === 'expired') {
      const text =
        'The code was already used, was entered wrong too often, or has expired. Please start again.';
      return sendPage(reply, pages.messagePage('Please start again', text), { status: 404 });
    }
    return redirectTo(reply, `/auth/sign-in?notice=account-created&next=${encodeURIComponent(target)}`, [
      signUpCookie(deps, '', 0),
    ]);
  });
}

function addFormRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { password_chars } = deps;
  const { next, form } = pageTools(scope, deps);
  const show = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
    sendPage(reply, pages.signUpPage({ notice, next: target, password_min: password_chars.min }), { status });

  scope.get('/auth/sign-up', async (request, reply) => show(reply, null, next(query(request, 'next'))));
  form('/auth/sign-up', async (request, reply) => {
    const field = formOf(request);
    const account = { name: field('name').trim(), email: field('email'), password: field('password') };
    const target = next(field('next'));
    const problem = accountProblem(account, password_chars);
    return problem
      ? show(reply, alert(problem), target, 422)
      : startSignUp(deps, request, reply, account, target);
  });
}
