// Serves the pages on which people make an account: the form, and the code that was mailed to them.
import { EmailAddress } from '@parley/contract/fields';
import { limits } from '@parley/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasControls } from './account-terms.ts';
import { alert, type PageDeps, pageTools } from './page-tools.ts';
import * as pages from './pages.ts';
import * as signUpPages from './sign-up-pages.ts';
import { sign_up_minutes } from './sign-ups.ts';
import { cookieOf, formOf, goTo, sendPage } from './web.ts';

export type NewAccount = { name: string; email: string; password: string };

/** Null when the fields will do. */
export function accountProblem(
  given: NewAccount,
  password_chars: { min: number; max: number },
): string | null {
  const name = given.name.trim();
  if (name === '' || name.length > limits.name_chars || hasControls(name)) return 'Please give your name.';
  if (!EmailAddress.safeParse(given.email).success) return 'Please give one email address.';
  const { length } = given.password;
  return length < password_chars.min || length > password_chars.max
    ? `A password has ${password_chars.min} to ${password_chars.max} characters.`
    : null;
}

export function addSignUpRoutes(scope: FastifyInstance, deps: PageDeps) {
  const { attempts, password_chars, sign_ups } = deps;
  const { next, query, form } = pageTools(scope, deps);
  const is_secure = () => deps.baseUrl().startsWith('https:');
  const cookie_name = () => `${is_secure() ? '__Secure-' : ''}parley.sign_up`;
  const cookie = (value: string, seconds: number) =>
    `${cookie_name()}=${value}; Path=/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${is_secure() ? '; Secure' : ''}`;

  /** The answer is the same whether the address has an account or not. */
  const begin = async (
    request: FastifyRequest,
    reply: FastifyReply,
    given: NewAccount,
    target: string,
  ): Promise<FastifyReply> => {
    deps.mail.requireTransport();
    await attempts.begin(request.ip);
    await attempts.askForMail(request.ip, given.email);
    const { token } = await sign_ups.begin(given);
    return goTo(reply, `/auth/sign-up/code?next=${encodeURIComponent(target)}`, [
      cookie(token, sign_up_minutes * 60),
    ]);
  };

  if (deps.sign_up === 'open') {
    const show = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
      sendPage(reply, pages.signUpPage({ notice, next: target, password_min: password_chars.min }), {
        status,
      });
    scope.get('/auth/sign-up', async (request, reply) => show(reply, null, next(query(request, 'next'))));
    form('/auth/sign-up', async (request, reply) => {
      const field = formOf(request);
      const given = { name: field('name').trim(), email: field('email'), password: field('password') };
      const target = next(field('next'));
      const problem = accountProblem(given, password_chars);
      return problem ? show(reply, alert(problem), target, 422) : begin(request, reply, given, target);
    });
  }

  const showCode = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
    sendPage(reply, signUpPages.codePage({ notice, next: target }), { status });
  scope.get('/auth/sign-up/code', async (request, reply) =>
    showCode(reply, null, next(query(request, 'next'))),
  );
  form('/auth/sign-up/code', async (request, reply) => {
    const field = formOf(request);
    const target = next(field('next'));
    const actor = { user_id: null, credential_id: null, ip: request.ip, request_id: request.id };
    const result = await sign_ups.finish(actor, cookieOf(request, cookie_name()), field('code'));
    if (result === 'wrong') return showCode(reply, alert('This is not the code.'), target, 422);
    if (result === 'over') {
      const text = 'The code was used, tried too often or is too old. Please start again.';
      return sendPage(reply, pages.messagePage('Please start again', text), { status: 404 });
    }
    return goTo(reply, `/auth/sign-in?made=yes&next=${encodeURIComponent(target)}`, [cookie('', 0)]);
  });

  return { begin };
}
