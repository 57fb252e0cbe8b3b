// The console pages of a managed server: programs that a person connected with OAuth, members and invitations, own conversations.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { addMember, managedOrganization } from '../../packages/server/testing/managed.ts';
import { oauthProgram } from '../../packages/server/testing/oauth.ts';
import { password, signUp } from '../../packages/server/testing/visitor.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const app = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_SIGN_UP: 'open' });
let browser: Browser;
before(async () => {
  if (!skip) browser = await openBrowser();
});
after(() => browser?.close());

async function signedIn(email: string): Promise<Visit> {
  const visit = await visitConsole(browser, { url: app.url });
  await visit.page.goto(`${app.url}/auth/sign-in?next=/`);
  await visit.page.getByLabel('Email').fill(email);
  await visit.page.getByLabel('Password').fill(password);
  await visit.page.keyboard.press('Enter');
  await visit.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return visit;
}

test('an owner invites people, replaces and revokes links, changes roles and removes people', {
  skip,
}, async () => {
  const { organization } = await managedOrganization(app);
  const email = `${randomUUID()}@example.com`;
  const bo = await addMember(app, organization.id, { role: 'member', name: 'Bo Berg' });
  const owner = await signUp(app, { email });
  await app.client.request('POST', `/v1/admin/organizations/${organization.id}/members`, {
    email,
    name: 'Ana Sousa',
    role: 'owner',
  });
  const visit = await signedIn(email);
  const { page } = visit;
  const dialog = page.getByRole('dialog');
  await page.getByRole('link', { name: 'Members' }).click();

  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByLabel('Email').fill(bo.email);
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await page.getByText('This person is already a member.').waitFor();
  await page.getByText('Change the role of the member instead.').waitFor();
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const linkShown = async () => {
    const link = (await dialog.locator('pre').textContent())!;
    await dialog.getByRole('button', { name: 'Done' }).click();
    return new URL(link).pathname;
  };
  const first = await linkShown();
  await page.getByRole('tab', { name: 'Invitations' }).click();
  await page.getByRole('button', { name: 'Resend the invitation of mina@example.com' }).click();
  await dialog.getByRole('button', { name: 'Create a new link' }).click();
  const second = await linkShown();
  assert.deepEqual([(await owner.open(first)).status, (await owner.open(second)).status], [404, 200]);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No invitations', { exact: true }).waitFor();
  assert.equal((await owner.open(second)).status, 404);

  await page.getByRole('tab', { name: 'Members' }).click();
  const row = page.getByRole('row', { name: /Bo Berg/ });
  await row.getByRole('button', { name: 'Role of Bo Berg' }).click();
  await dialog.getByLabel('Role').selectOption('admin');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByRole('cell', { name: 'admin', exact: true }).waitFor();
  await row.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Leave' }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByText('You are signed in, but you are not a member of an organization yet.').waitFor();
  visit.assertClean();
  await visit.close();
});

test('a person sees a connected program and disconnects it (I5)', { skip }, async () => {
  const email = `${randomUUID()}@example.com`;
  const ana = await signUp(app, { email, organization: 'Sousa Trading' });
  const program = oauthProgram(app.url);
  const { access_token } = await program.connect(ana, await program.register('Notes for agents'));
  const works = async () => (await app.holder(access_token).request('GET', '/v1/whoami')).status;
  assert.equal(await works(), 200);

  const visit = await signedIn(email);
  const { page } = visit;
  await page.getByRole('link', { name: 'Connected apps' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
  // The page has its own URL.
  await page.reload();
  await page.getByRole('cell', { name: 'Notes for agents', exact: true }).waitFor();
  await page.getByRole('cell', { name: '127.0.0.1:53117' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No connected programs').waitFor();
  assert.equal(await works(), 401);
  visit.assertClean();
  await visit.close();
});

test('a person takes a conversation in the inbox and finds it among their own', { skip }, async () => {
  const email = `${randomUUID()}@example.com`;
  const ana = await signUp(app, { email, organization: 'Sousa Support' });
  const program = oauthProgram(app.url);
  const { access_token } = await program.connect(ana, await program.register('Desk'));
  const sent = await app.holder(access_token).request('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject: 'Opening hours',
    body_text: 'We open at eight.',
    recipient_consent: true,
  });
  assert.equal(sent.status, 201, sent.text);
  await app.app.projector.drain();
  const visit = await signedIn(email);
  const { page } = visit;
  await page.getByRole('link', { name: 'Inbox' }).click();
  const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('link');
  await page.getByRole('link', { name: 'Mine' }).click();
  await page.getByText('Nothing is assigned to you').waitFor();
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await rows.first().click();
  const own = page.getByLabel('Assigned to').getByRole('option', { name: '(you)' });
  await page.getByLabel('Assigned to').selectOption((await own.getAttribute('value'))!);
  await page.getByRole('link', { name: 'Mine' }).click();
  await rows.filter({ hasText: 'delivered@sandbox.test' }).waitFor();
  visit.assertClean();
  await visit.close();
});
