// The HTML of the account pages: sign in, sign up, invitation, new organization, consent, home.
import { limits } from '@parley/contract/limits';
import { document, type Html, html } from './html.ts';

export type OrganizationChoice = { id: string; name: string };

/** A message above the form: an error or a success. */
export type Notice = { kind: 'alert' | 'status'; text: string } | null;

export const noticeOf = (notice: Notice): Html | null =>
  notice && html`<p role="${notice.kind}">${notice.text}</p>`;
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

const passwordField = (kind: 'current-password' | 'new-password', min: number) => html`
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="${kind}" required${
  kind === 'new-password' ? html` minlength="${min}" aria-describedby="password-hint"` : null
}>
${kind === 'new-password' ? html`<p class="hint" id="password-hint">At least ${min} characters.</p>` : null}`;

const nameField = html`
<label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="${limits.name_chars}" required>`;

export const organizationField = (
  organizations: readonly OrganizationChoice[],
  chosen: string | null,
): Html => {
  const [first, ...others] = organizations;
  if (first && others.length === 0)
    return html`${hidden('organization_id', first.id)}<p>Organization: <strong>${first.name}</strong></p>`;
  return html`
<label for="organization_id">Organization</label>
<select id="organization_id" name="organization_id" required>${organizations.map(
    (each) =>
      html`<option value="${each.id}"${each.id === chosen ? html` selected` : null}>${each.name}</option>`,
  )}</select>`;
};

export const signInPage = (page: {
  notice: Notice;
  email: string;
  next: string;
  stay: boolean;
  may_sign_up: boolean;
}): string =>
  document(
    'Sign in',
    html`${noticeOf(page.notice)}
<form method="post" action="/auth/sign-in">
${hidden('next', page.next)}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" value="${page.email}" required autofocus>
${passwordField('current-password', 0)}
<label class="check"><input type="checkbox" name="stay" value="yes"${page.stay ? html` checked` : null}><span>Stay signed in<span class="hint">For a week on this browser. Without it, until you close the browser.</span></span></label>
<button>Sign in</button>
</form>
<p><a href="/auth/passwords/forgot">Forgot your password?</a></p>
${page.may_sign_up ? html`<p>New here? <a href="/auth/sign-up?next=${encodeURIComponent(page.next)}">Create an account</a>.</p>` : html`<p class="hint">New here? Ask for an invitation.</p>`}`,
  );

export const signUpPage = (page: { notice: Notice; next: string; password_min: number }): string =>
  document(
    'Create an account',
    html`${noticeOf(page.notice)}
<form method="post" action="/auth/sign-up">
${hidden('next', page.next)}
${nameField}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required>
${passwordField('new-password', page.password_min)}
<button>Create account</button>
</form>
<p>Already have an account? <a href="/auth/sign-in?next=${encodeURIComponent(page.next)}">Sign in</a>.</p>`,
  );

export const newPasswordPage = (page: { notice: Notice; password_min: number }): string =>
  document(
    'Choose a new password',
    html`${noticeOf(page.notice)}
<form method="post">
${passwordField('new-password', page.password_min)}
<button>Save password</button>
</form>`,
  );

export const invitationPage = (page: {
  notice: Notice;
  action: string;
  organization: string;
  email: string;
  signed_in_as: string | null;
  password_min: number;
}): string =>
  document(
    `Join ${page.organization}`,
    html`${noticeOf(page.notice)}
<p>You are invited to <strong>${page.organization}</strong> as <strong>${page.email}</strong>.</p>
${
  page.signed_in_as
    ? html`<form method="post" action="${page.action}">
${hidden('step', 'accept')}
<p>You are signed in as <strong>${page.signed_in_as}</strong>.</p>
<button>Join</button>
</form>`
    : html`<p><a href="/auth/sign-in?next=${encodeURIComponent(page.action)}">I have an account: sign in</a></p>
<h2>Or create an account</h2>
<form method="post" action="${page.action}">
${hidden('step', 'sign-up')}
${nameField}
${passwordField('new-password', page.password_min)}
<button>Create account</button>
</form>`
}`,
  );

export const newOrganizationPage = (page: { notice: Notice; next: string }): string =>
  document(
    'Create an organization',
    html`${noticeOf(page.notice)}
<form method="post" action="/auth/organizations/new">
${hidden('next', page.next)}
<label for="organization">Name of the organization</label>
<input id="organization" name="organization" maxlength="${limits.name_chars}" autocomplete="organization" required autofocus>
<button>Create organization</button>
</form>`,
  );

export const homePage = (page: {
  notice: Notice;
  name: string;
  email: string;
  organizations: readonly (OrganizationChoice & { role: string })[];
  may_create_organization: boolean;
}): string =>
  document(
    `Hello, ${page.name}`,
    html`${noticeOf(page.notice)}
<p>You are signed in as <strong>${page.email}</strong>.</p>
${
  page.organizations.length === 0
    ? html`<p>You are not in an organization yet.</p>`
    : html`<h2>Your organizations</h2><ul>${page.organizations.map((each) => html`<li>${each.name} (${each.role})</li>`)}</ul>
<p><a href="/">Open the console</a></p>`
}
${page.may_create_organization ? html`<p><a href="/auth/organizations/new">Create an organization</a></p>` : null}
<p><a href="/auth/device">Connect a device</a></p>
<form method="post" action="/auth/sign-out"><button class="quiet">Sign out</button></form>`,
  );

const scope_texts: Record<string, string> = {
  openid: 'see your user id',
  profile: 'see your name',
  email: 'see your email address',
  offline_access: 'stay connected until you revoke it',
  parley: 'make calls, send emails and text messages, and read and change everything in the organization',
};

export const consentPage = (page: {
  notice: Notice;
  oauth_query: string;
  client: string;
  redirect_host: string;
  scopes: readonly string[];
  organizations: readonly OrganizationChoice[];
  chosen: string | null;
}): string =>
  document(
    'Allow access',
    html`${noticeOf(page.notice)}
<p><strong>${page.client}</strong> asks for permission to:</p>
<ul>${page.scopes.map((scope) => html`<li>${scope_texts[scope] ?? scope}</li>`)}</ul>
<p>You will be sent to <strong>${page.redirect_host}</strong>. Allow it only if you trust that site and started this yourself.</p>
<form method="post" action="/auth/consent">
${hidden('oauth_query', page.oauth_query)}
${organizationField(page.organizations, page.chosen)}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="quiet">Deny</button>
</form>
<p class="hint">You can revoke this at any time in the console under Connected apps; it takes effect within a second.</p>`,
  );

export const messagePage = (title: string, text: string): string =>
  document(title, html`<p>${text}</p><p><a href="/auth">Go to your account</a></p>`);
