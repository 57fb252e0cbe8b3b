// The pages on which a user connects a device: entering its code, and reviewing what the device would get.

import {
  hidden,
  type Notice,
  noticeOf,
  type OrganizationChoice,
  organizationField,
} from '../pages/account-pages.ts';
import { document, type Html, html } from '../pages/html.ts';

export const deviceCodePage = (page: { notice: Notice }): string =>
  document(
    'Connect a device',
    html`${noticeOf(page.notice)}
<form method="post" action="/auth/device">
${hidden('step', 'enter')}
<label for="user_code">Code shown on the device</label>
<input class="code" id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="12" required autofocus>
<button>Continue</button>
</form>`,
  );

/** What a key with this scope may do. */
function scopeText(scope: string): string {
  if (scope === '*')
    return 'everything that you may do in the organization: make calls, send emails and text messages, read and change all records';
  const [noun = '', action] = scope.split(':');
  const records = noun.replaceAll('_', ' ');
  return action === 'read' ? `read ${records}` : `create, change and delete ${records}`;
}

const link_warning: Html = html`<p role="alert"><strong>You opened a link.</strong> If someone sent it to you, press Deny: that person would get the key. Continue only if you
started this yourself, on a device in front of you, and it shows the same code.</p>`;

const longDate = (date: Date) => date.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export const deviceApprovalPage = (page: {
  user_code: string;
  client: string;
  scopes: readonly string[];
  key_expires_at: Date;
  organizations: readonly OrganizationChoice[];
  /** The code came with the link and was not entered (verification_uri_complete, RFC 8628 section 5.4). */
  opened_by_link: boolean;
}): string =>
  document(
    'Connect a device',
    html`${page.opened_by_link ? link_warning : null}
<p><strong>${page.client}</strong> requests a key that acts in your name. Continue only if you see this code on the device in
front of you:</p>
<p class="code">${page.user_code}</p>
<p>With the key it can:</p>
<ul>${page.scopes.map((scope) => html`<li>${scopeText(scope)} (<code>${scope}</code>)</li>`)}</ul>
<p>The key expires on <strong>${longDate(page.key_expires_at)}</strong>. You can revoke it earlier under API keys.</p>
<form method="post" action="/auth/device">
${hidden('user_code', page.user_code)}
${organizationField(page.organizations, null)}
<button name="step" value="approve">Approve</button>
<button name="step" value="deny" class="quiet">Deny</button>
</form>`,
  );
