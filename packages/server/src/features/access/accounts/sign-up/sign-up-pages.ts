// The pages for the code of a sign-up, and for a forgotten password.
import { hidden, type Notice, noticeOf } from '../pages/account-pages.ts';
import { document, html } from '../pages/html.ts';

export const codePage = (page: { notice: Notice; next: string }): string =>
  document(
    'Check your mail',
    html`${noticeOf(page.notice)}
<p>We have sent you a mail with a code. It can take a minute to arrive.</p>
<form method="post" action="/auth/sign-up/code">
${hidden('next', page.next)}
<label for="code">Code from the mail</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" maxlength="20" required autofocus>
<button>Continue</button>
</form>
<p class="hint">No mail? Check your spam folder, and check that you entered the right address. If the address was wrong, start again. If you
already have an account, the mail says so.</p>`,
  );

export const forgotPasswordPage = (page: { notice: Notice }): string =>
  document(
    'Forgot your password',
    html`${noticeOf(page.notice)}
<p>We will mail you a link. With the link you can choose a new password.</p>
<form method="post" action="/auth/passwords/forgot">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button>Send the link</button>
</form>
<p><a href="/auth/sign-in">Back to sign in</a></p>`,
  );

/** Says the same for every address of the domain, so that nobody learns which ones have an account. */
export const noCodePage = (domain: string): string =>
  document(
    'No code is sent to this address',
    html`<p>This server receives the mail of <strong>${domain}</strong> itself, and programs can read it there. So it sends no code to an
address of this domain.</p>
<p>Please use an address at another mail service. If you were invited, ask for an invitation to that address.</p>
<p><a href="/auth/sign-up">Use another address</a> <a href="/auth/sign-in">I have an account: sign in</a></p>`,
  );

export const noLinkPage = (domain: string): string =>
  document(
    'No link is sent to this address',
    html`<p>This server receives the mail of <strong>${domain}</strong> itself, and programs can read it there. So it sends no link for a new
password to an address of this domain.</p>
<p>Please ask the operator of this server: they can give you such a link in another way. Your present password still works.</p>
<p><a href="/auth/sign-in">Back to sign in</a></p>`,
  );
