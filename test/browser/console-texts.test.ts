// The texts of empty pages and of errors.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { settled, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { client, url } = await startTestApp();
let browser: Browser;
before(async () => {
  if (!skip) browser = await openBrowser();
});
after(() => browser?.close());

const run = promisify(execFile);

test('an empty page shows the command that creates the first record, and the command works', {
  skip,
}, async () => {
  const visit = await visitConsole(browser, { url, key: client.key });
  // Sending the first email creates a domain, so that page is visited first.
  const pages = [
    'domains',
    'emails',
    'sms',
    'calls',
    'contacts',
    'suppressions',
    'agents',
    'numbers',
    'webhooks',
  ];
  await visit.open('/', 'Overview');
  for (const path of pages.map((name) => `/${name}`)) {
    await visit.go(path);
    await settled(visit.page);
    const empty = visit.page.locator('.empty');
    // Fails when the page is not empty.
    await empty.waitFor();
    const command = (await empty.locator('pre').textContent())!;
    assert.match(command, /^curl /, path);
    const env = { ...process.env, PARLEY_API_KEY: client.key };
    const { stdout } = await run('sh', ['-c', `${command} -sS -w '\n%{http_code}'`], { env });
    assert.match(stdout, /\n201$/, `${path}: ${command}\n${stdout}`);
    await visit.open(path);
    await settled(visit.page);
    assert.equal(await empty.count(), 0, `${path} is still empty`);
  }
  visit.assertClean();
  await visit.close();
});

test('an error is shown with what to do next and the request id', { skip }, async () => {
  const visit = await visitConsole(browser, { url, key: client.key });
  const { page } = visit;
  await visit.open('/compose', 'Compose');
  await page.getByLabel('To', { exact: false }).first().fill('delivered@sandbox.test');
  await page.getByLabel('Subject').fill('Hello');
  await page.getByRole('textbox', { name: 'Text' }).fill('Without consent');
  const send = () =>
    Promise.all([
      page.waitForResponse((response) => response.url() === `${url}/v1/emails`),
      page.getByRole('button', { name: 'Send email' }).click(),
    ]);
  await send();
  // C5: what is missing is said once, at its field and not in the words of the API.
  await page.getByText('Please confirm that the recipient has agreed.').waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /recipient_consent must|consent_required/);
  await client.request('POST', '/v1/email-suppressions', { recipient: 'no-more@example.com' });
  await page.getByLabel('To', { exact: false }).first().fill('no-more@example.com');
  await page.getByLabel('The recipient has agreed to be contacted').check();
  const [answer] = await send();
  const problem = (await answer.json()) as { detail: string; fix: string; request_id: string };
  const alert = page.getByRole('alert').filter({ hasText: problem.request_id });
  const text = (await alert.textContent())!;
  for (const said of [problem.detail, problem.fix, problem.request_id]) assert.ok(text.includes(said), text);
  visit.assertClean();
  await visit.close();
});

test('without a carrier and a mail transport the console says so, and does not speak of the sandbox (C5)', {
  skip,
}, async () => {
  const real = await startTestApp({ PARLEY_SANDBOX: 'off' });
  const visit = await visitConsole(browser, { url: real.url, key: real.client.key });
  const { page } = visit;
  await visit.open('/', 'Overview');
  await page.getByText('No carrier is set. Calls and texts are not possible.').waitFor();
  await page.getByText('No mail transport is set. Emails cannot be sent.').waitFor();
  // Shown only once it is known which steps are done.
  await page.getByText('Getting started · 0 of 6').waitFor();
  await settled(page);
  assert.doesNotMatch(await page.locator('body').innerText(), /sandbox/i);
  await visit.go('/calls', 'Calls');
  await page.getByText('No carrier is set. Calls and texts are not possible.').waitFor();
  visit.assertClean();
  await visit.close();
});
