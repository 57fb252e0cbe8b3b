// Privacy in the console: retention and storage, a person who is erased, receipts; and why a message failed.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Retention } from '@parley/contract/operations/retention';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { axeViolations, type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { app, client, operator, url, later } = await startTestApp({ PARLEY_STORAGE_QUOTA_MB: '2' });
let browser: Browser;
let visit: Visit;
let page: Page;

const send = async (to: string) => {
  const answer = await client.request<Email>('POST', '/v1/emails', {
    ...{ to: [to], subject: 'Hello', body_text: 'All of the text.', recipient_consent: true },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const dialog = () => page.getByRole('dialog');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const tab = (name: string) => page.getByRole('tab', { name });

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  visit = await visitConsole(browser, { url, key: client.key });
  page = visit.page;
});
after(() => browser?.close());

test('why an email bounced is explained on its page', { skip }, async () => {
  const { id } = await send('bounced@sandbox.test');
  await app.jobs.drain();
  await visit.open(`/emails/${id}`);
  await button('Explain').click();
  await page.getByText(/^Caused by: recipient · Repeat: .* · Code: hard_bounce$/).waitFor();
  await page.getByText('api: request', { exact: true }).waitFor();
  await page.getByText('guard: allowed', { exact: true }).waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
});

test('a person sets the retention, and sees what was deleted and how much is stored', { skip }, async () => {
  await visit.go('/privacy', 'Privacy');
  await page.getByRole('meter', { name: 'Used storage' }).waitFor();
  await page.getByText('2 MB', { exact: true }).waitFor();
  await page.getByLabel('Content of messages').fill('30');
  await page.getByLabel('Whole records').fill('20');
  await button('Save retention').click();
  await page.getByLabel('Operator key').fill(operator.key);
  await button('Save retention').click();
  await page.getByText('Expected at least the 30 days of messages').waitFor();
  await page.getByLabel('Whole records').fill('365');
  await button('Save retention').click();
  await page.getByText('The retention is saved.', { exact: false }).waitFor();
  const { body } = await client.request<Retention>('GET', '/v1/organization/retention');
  assert.deepEqual([body.messages, body.records, body.effective.events], [30, 365, 30]);
  await page.getByText('nothing was old enough').waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
});

test('a superadmin sets the storage quota of an organization', { skip }, async () => {
  await visit.go('/admin', 'Admin');
  await tab('Organizations and caps').click();
  await button('Caps of Shared key').click();
  await dialog().getByLabel('Maximum storage in MB').fill('5');
  await button('Save the caps').click();
  await dialog().waitFor({ state: 'detached' });
  await visit.go('/privacy', 'Privacy');
  await page.getByText('5 MB', { exact: true }).waitFor();
});

test('receipts are verified in the browser and downloaded', { skip }, async () => {
  await send('delivered@sandbox.test');
  await later(5);
  await app.jobs.drain();
  await tab('Receipts').click();
  await page.getByRole('cell', { name: 'delivered@sandbox.test' }).waitFor();
  await button('Verify').click();
  await page.getByText(/^All \d+ receipts are genuine, and none in between is missing\.$/).waitFor();
  const download = page.waitForEvent('download');
  await button('Download').click();
  const saved = await readFile(await (await download).path(), 'utf8');
  const [receipt] = saved.split('\n');
  assert.equal(JSON.parse(receipt!).jws.split('.').length, 3);
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
});

test('a person is counted, erased after a confirmation, and shown as erased', { skip }, async () => {
  const contact = { name: 'Ana Sousa', phone_e164: '+14155550123', email: 'ana@example.org' };
  await client.request('POST', '/v1/contacts', contact);
  await send('ana@example.org');
  await app.jobs.drain();
  await tab('Erasures').click();
  await button('Erase a person').click();
  await dialog().getByLabel('Numbers and addresses of one person').fill('ana@example.org');
  await button('Preview').click();
  await dialog()
    .getByText(/1 emails.*1 contacts/)
    .waitFor();
  await dialog().getByText('+14155550123', { exact: false }).waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await button('Erase for ever').click();
  await dialog().waitFor({ state: 'detached' });
  // It first waits for what is under way.
  await later(5);
  await app.jobs.drain();
  await page.getByRole('cell', { name: 'done', exact: true }).waitFor();
  await page.getByRole('cell', { name: /1 emails/ }).waitFor();
  const { body } = await client.request<{ items: unknown[] }>('GET', '/v1/contacts');
  assert.deepEqual(body.items, []);
  await tab('Receipts').click();
  await page.getByRole('cell', { name: 'erased' }).waitFor();
  await button('Verify').click();
  await page.getByText(/^All \d+ receipts are genuine/).waitFor();
  visit.assertClean();
});

test('a contact is erased on its own page', { skip }, async () => {
  const contact = { name: 'Rui Costa', phone_e164: '+14155550124' };
  const { body } = await client.request<{ id: string }>('POST', '/v1/contacts', contact);
  await visit.go(`/contacts/${body.id}`, 'Rui Costa');
  await button('Erase').click();
  await button('Preview').click();
  await dialog()
    .getByText(/1 contacts/)
    .waitFor();
  await button('Erase for ever').click();
  await page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
  await later(5);
  await app.jobs.drain();
  const left = await client.request('GET', `/v1/contacts/${body.id}`);
  assert.equal(left.status, 404, left.text);
  visit.assertClean();
});
