// Serves the pages of forgotten passwords: the request for a link, and the page that the link opens.
import { EmailAddress } from '@parley/contract/fields';
import type { FastifyInstance } from 'fastify';
import { alert, type PageDeps, pageTools } from './page-tools.ts';
import * as pages from './pages.ts';
import { forgotPasswordPage } from './sign-up-pages.ts';
import { formOf, goTo, sendPage } from './web.ts';

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
      const notice = alert('Please give one email address.');
      return sendPage(reply, forgotPasswordPage({ notice }), { status: 422 });
    }
    await attempts.begin(request.ip);
    await attempts.askForMail(request.ip, email);
    await deps.password_mails.request(email);
    const text = 'If the address has an account, a mail with a link is on its way. It can take a minute.';
    return sendPage(reply, pages.messagePage('Check your mail', text));
  });

  const show = (text: string | null) =>
    pages.newPasswordPage({ notice: text === null ? null : alert(text), password_min: password_chars.min });
  scope.get('/auth/passwords/:token', (_, reply) => sendPage(reply, show(null)));
  form('/auth/passwords/:token', async (request, reply) => {
    const { token } = request.params as { token: string };
    const password = formOf(request)('password');
    if (password.length < password_chars.min || password.length > password_chars.max) {
      const text = `A password has ${password_chars.min} to ${password_chars.max} characters.`;
      return sendPage(reply, show(text), { status: 422 });
    }
    await attempts.begin(request.ip);
    const user_id = await (await deps.engine()).setPassword(token, password);
    if (!user_id) {
      return sendPage(reply, show('This link was used or is too old. Ask for a new one.'), { status: 404 });
    }
    await deps.store.markVerified(user_id);
    // Whoever holds the link may sign in from here, also while somebody elsewhere guesses passwords.
    await deps.sign_ins.rememberPlace(user_id, request.ip);
    await deps.audit.write(
      deps.db,
      { user_id, credential_id: null, ip: request.ip, request_id: request.id },
      { organization_id: null, action: 'user.password_changed', object_id: user_id },
    );
    return goTo(reply, '/auth/sign-in?made=password');
  });
}
