// Starts a sign-up from a form: checks the fields, mails the code, and gives the browser its cookie.

import { limits } from '@parley/contract/limits';
import { EmailAddress } from '@parley/contract/schema/fields';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { domainOf, hasControls } from '../account-rules.ts';
import type { PageDeps } from '../pages/page-tools.ts';
import { redirectTo, sendPage } from '../pages/web.ts';
import { noCodePage } from './sign-up-pages.ts';
import { sign_up_minutes } from './sign-ups.ts';

export type NewAccount = { name: string; email: string; password: string };

/** Returns the message to show, or null when the fields are valid. */
export function accountProblem(
  account: NewAccount,
  password_chars: { min: number; max: number },
): string | null {
  const name = account.name.trim();
  if (name === '' || name.length > limits.name_chars || hasControls(name)) return 'Please enter your name.';
  if (!EmailAddress.safeParse(account.email).success) return 'Please enter one email address.';
  const { length } = account.password;
  return length < password_chars.min || length > password_chars.max
    ? `A password must have ${password_chars.min} to ${password_chars.max} characters.`
    : null;
}

const isSecure = ({ baseUrl }: PageDeps) => baseUrl().startsWith('https:');

export const signUpCookieName = (deps: PageDeps) => `${isSecure(deps) ? '__Secure-' : ''}parley.sign_up`;

export const signUpCookie = (deps: PageDeps, value: string, seconds: number) =>
  `${signUpCookieName(deps)}=${value}; Path=/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(deps) ? '; Secure' : ''}`;

const sendNoCode = (reply: FastifyReply, email: string): FastifyReply =>
  sendPage(reply, noCodePage(domainOf(email)), { status: 422 });

/** Responds the same whether the address has an account or not. */
export async function startSignUp(
  deps: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  account: NewAccount,
  target: string,
): Promise<FastifyReply> {
  deps.mail.requireTransport();
  await deps.attempts.countCreation(request.ip);
  if (await deps.mail.isReceivedHere(account.email)) return sendNoCode(reply, account.email);
  await deps.attempts.countMail(request.ip, account.email);
  const { token } = await deps.sign_ups.start(account);
  return redirectTo(reply, `/auth/sign-up/code?next=${encodeURIComponent(target)}`, [
    signUpCookie(deps, token, sign_up_minutes * 60),
  ]);
}
