// The pages on which a person connects a device: typing its code, and seeing what the device would get.
import { document, type Html, html } from './html.ts';
import { hidden, type Notice, noticeOf, type OrganizationChoice, organizationField } from './pages.ts';

export const deviceCodePage = (page: { notice: Notice }): string =>
  document(
    'Connect a device',
    html`${noticeOf(page.notice)}
<form method="post" action="/auth/device">
${hidden('step', 'look')}
<label for="user_code">Code shown on the device</label>
<input class="code" id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="12" required autofocus>
<button>Go on</button>
</form>`,
  );

/** What a scope of a key lets its holder do. */
function scopeText(scope: string): string {
  if (scope === '*')
    return 'everything that you may do in the organization: make calls, send emails and texts, read and change all records';
  const [noun = '', what] = scope.split(':');
  const things = noun.replaceAll('_', ' ');
  return what === 'read' ? `read ${things}` : `make, change and remove ${things}`;
}

const linkWarning: Html = html`<p role="alert"><strong>You came here by a link.</strong> If somebody sent it to you, press Deny: the key would be theirs. Go on only if you
started this yourself, on a device in front of you, and it shows the same code.</p>`;

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export const deviceApprovalPage = (page: {
  user_code: string;
  client: string;
  scopes: readonly string[];
  key_expires_at: Date;
  organizations: readonly OrganizationChoice[];
  /** The code came with the link and was not typed (verification_uri_complete, RFC 8628 section 5.4). */
  opened_by_link: boolean;
}): string =>
  document(
    'Connect a device',
    html`${page.opened_by_link ? linkWarning : null}
<p><strong>${page.client}</strong> wants a key that acts in your name. Go on only if you see this code on the device in
front of you:</p>
<p class="code">${page.user_code}</p>
<p>With the key it can:</p>
<ul>${page.scopes.map((scope) => html`<li>${scopeText(scope)} (<code>${scope}</code>)</li>`)}</ul>
<p>The key ends on <strong>${day.format(page.key_expires_at)}</strong>. You can revoke it before under API keys.</p>
<form method="post" action="/auth/device">
${hidden('user_code', page.user_code)}
${organizationField(page.organizations, null)}
<button name="step" value="approve">Approve</button>
<button name="step" value="deny" class="quiet">Deny</button>
</form>`,
  );
