// The pages around mail about accounts: the code of a sign-up, and the forgotten password.
import { document, html } from './html.ts';
import { hidden, type Notice, noticeOf } from './pages.ts';

export const codePage = (page: { notice: Notice; next: string }): string =>
  document(
    'Check your mail',
    html`${noticeOf(page.notice)}
<p>A mail with a code is on its way to you. It can take a minute.</p>
<form method="post" action="/auth/sign-up/code">
${hidden('next', page.next)}
<label for="code">Code from the mail</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" maxlength="20" required autofocus>
<button>Go on</button>
</form>
<p class="hint">No mail? Look for it among the spam, check that you typed your address right, and start again if not. If you have
an account already, the mail says so.</p>`,
  );

export const forgotPasswordPage = (page: { notice: Notice }): string =>
  document(
    'Forgotten password',
    html`${noticeOf(page.notice)}
<p>We mail you a link with which you choose a new one.</p>
<form method="post" action="/auth/passwords/forgot">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button>Send the link</button>
</form>
<p><a href="/auth/sign-in">Back to sign in</a></p>`,
  );
