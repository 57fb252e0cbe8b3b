// Serves the pages for forgotten passwords: the request for a link, and the page that the link opens.
import { EmailAddress } from '@parley/contract/schema/fields';
import type { FastifyInstance } from 'fastify';
import { domainOf } from '../account-rules.ts';
import * as pages from '../pages/account-pages.ts';
import { alert, anonymousActor, type PageDeps, pageTools } from '../pages/page-tools.ts';
import { formOf, redirectTo, sendPage } from '../pages/web.ts';
import { forgotPasswordPage, noLinkPage } from '../sign-up/sign-up-pages.ts';

export function addPasswordRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { attempts, password_chars } = deps;
  const { form } = pageTools(scope, deps);

  scope.get('/auth/passwords/forgot', async (_, reply) => {
    deps.mail.requireTransport();
    return sendPage(reply, forgotPasswordPage({ notice: null }));
  });
  form('/auth/passwords/forgot', async (request, reply) => {
    const email = formOf(request)('email');
    if (!EmailAddress.safeParse(email).success) {
      const notice = alert('Please enter one email address.');
      return sendPage(reply, forgotPasswordPage({ notice }), { status: 422 });
    }
    await attempts.countCreation(request.ip);
    if (await deps.mail.isReceivedHere(email))
      return sendPage(reply, noLinkPage(domainOf(email)), { status: 422 });
    await attempts.countMail(request.ip, email);
    await deps.password_mails.request(email);
    const text =
      'If the address has an account, we have sent a mail with a link. It can take a minute to arrive.';
    return sendPage(reply, pages.messagePage('Check your mail', text));
  });

  const show = (text: string | null) =>
    pages.newPasswordPage({ notice: text === null ? null : alert(text), password_min: password_chars.min });
  scope.get('/auth/passwords/:token', (_, reply) => sendPage(reply, show(null)));
  form('/auth/passwords/:token', async (request, reply) => {
    const { token } = request.params as { token: string };
    const password = formOf(request)('password');
    if (password.length < password_chars.min || password.length > password_chars.max) {
      const text = `A password must have ${password_chars.min} to ${password_chars.max} characters.`;
      return sendPage(reply, show(text), { status: 422 });
    }
    await attempts.countCreation(request.ip);
    const user_id = await (await deps.engine()).setPassword(token, password);
    if (!user_id) {
      const text = 'This link was already used or has expired. Please request a new one.';
      return sendPage(reply, show(text), { status: 404 });
    }
    // Sessions, console tokens and other links end with the statement that stores the password; other processes notice it.
    await deps.changes.refresh();
    await deps.store.markVerified(user_id);
    // The owner of the link can sign in from this network, also while an attacker guesses passwords from another one.
    await deps.sign_ins.storeKnownNetwork(user_id, request.ip);
    await deps.audit.write(
      deps.db,
      { ...anonymousActor(request), user_id },
      { organization_id: null, action: 'user.password_changed', object_id: user_id },
    );
    return redirectTo(reply, '/auth/sign-in?notice=password-changed');
  });
}
