// Emails that are written in the console: they leave with all files that were chosen, and a message on hold is not called sent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { ok, receiveEmail } from '../../packages/server/testing/conversations.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { client, operator, url } = await startTestApp();
let browser: Browser;
let visit: Visit;
let page: Page;

const button = (name: string) => page.getByRole('button', { name, exact: true });
const contract = { name: 'contract.txt', mimeType: 'text/plain', buffer: Buffer.from('The contract') };
async function newestEmail(): Promise<Email> {
  const { items } = await ok<{ items: Email[] }>(client, 'GET', '/v1/emails?direction=outbound&limit=1');
  return ok<Email>(client, 'GET', `/v1/emails/${items[0]!.id}`);
}

/** Chooses a file whose upload takes until `tryToSend` is done. Returns the order of what happened. */
async function attachSlowly(tryToSend: () => Promise<void>): Promise<string[]> {
  const order: string[] = [];
  const tried = Promise.withResolvers<void>();
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/v1\/(emails|conversations)/.test(request.url())) order.push('sent');
  });
  await page.route('**/v1/email-attachments', async (route) => {
    await tried.promise;
    order.push('uploaded');
    await route.continue();
  });
  await page.locator('input[type=file]').setInputFiles(contract);
  await page.getByText('Uploading …', { exact: false }).waitFor();
  await tryToSend();
  tried.resolve();
  await page.getByText('contract.txt').waitFor();
  await page.unroute('**/v1/email-attachments');
  return order;
}

before(async () => {
  if (skip) return;
  await receiveEmail(client, { from: 'bob@example.net', subject: 'Invoice 7', body_text: 'Is it paid?' });
  browser = await openBrowser();
  visit = await visitConsole(browser, { url, key: client.key });
  page = visit.page;
});
after(() => browser?.close());

async function fillEmail(subject: string): Promise<void> {
  await visit.open('/compose', 'Compose');
  await page.getByRole('textbox', { name: 'To' }).first().fill('delivered@sandbox.test');
  await page.getByLabel('Subject').fill(subject);
  await page.getByRole('textbox', { name: 'Text' }).fill('Please sign.');
  await page.getByLabel('The recipient has agreed to be contacted').check();
}

test('an email is sent after its files are uploaded, and with them', { skip }, async () => {
  await fillEmail('The contract');
  const order = await attachSlowly(async () => {
    await page.getByLabel('Subject').press('Enter');
    assert.ok(await button('Send email').isDisabled());
  });
  await button('Send email').click();
  await page.waitForURL(/\/emails\//);
  assert.deepEqual(order, ['uploaded', 'sent']);
  const { subject, attachments } = await newestEmail();
  assert.deepEqual(
    [subject, attachments.map(({ filename }) => filename)],
    ['The contract', ['contract.txt']],
  );
});

test('an answer in the inbox waits for its files too, also with the keyboard', { skip }, async () => {
  await visit.go('/inbox', 'Inbox');
  await page.getByRole('list', { name: 'Conversations' }).getByText('bob@example.net').first().click();
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await reply.fill('Here it is.');
  await page.getByLabel('The recipient has agreed to be contacted').check();
  const order = await attachSlowly(() => reply.press('Control+Enter'));
  await reply.press('Control+Enter');
  await page.getByText('contract.txt').waitFor({ state: 'detached' });
  assert.deepEqual(order, ['uploaded', 'sent']);
  const { body_text, attachments } = await newestEmail();
  assert.deepEqual([body_text?.includes('Here it is.'), attachments.length], [true, 1]);
});

test('an email that waits for an approval is not called sent', { skip }, async () => {
  const rule = { name: 'Everything', when: ['always'], then: 'hold' };
  await ok(operator, 'PUT', '/v1/approval-policy', { rules: [rule] });
  await fillEmail('Held');
  await button('Send email').click();
  await page.getByText('It is on hold.', { exact: false }).waitFor();
  assert.equal(await page.getByText('Sent to delivered@sandbox.test.').count(), 0);
  visit.assertClean();
});
