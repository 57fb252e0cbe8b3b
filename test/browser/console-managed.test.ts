// The console page of programs that a person connected with OAuth: listed and disconnected there.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { oauthProgram } from '../../packages/server/testing/oauth.ts';
import { password, signUp } from '../../packages/server/testing/visitor.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const app = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_SIGN_UP: 'open' });
let browser: Browser;
before(async () => {
  if (!skip) browser = await openBrowser();
});
after(() => browser?.close());

test('a person sees a connected program and disconnects it (I5)', { skip }, async () => {
  const email = `${randomUUID()}@example.com`;
  const ana = await signUp(app, { email, organization: 'Sousa Trading' });
  const program = oauthProgram(app.url);
  const { access_token } = await program.connect(ana, await program.register('Notes for agents'));
  const works = async () => (await app.holder(access_token).request('GET', '/v1/whoami')).status;
  assert.equal(await works(), 200);

  const visit = await visitConsole(browser, { url: app.url });
  const { page } = visit;
  await page.goto(`${app.url}/auth/sign-in?next=/`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
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
