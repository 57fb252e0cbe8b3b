// Settings that two people change at the same time: the console saves what one of them changed, and keeps what the other did.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Retention } from '@parley/contract/operations/retention';
import type { ContactRules } from '@parley/contract/rules/people/contact-rules';
import type { QuietHours } from '@parley/contract/rules/quiet-hours';
import type { Browser, Locator, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { ok } from '../../packages/server/testing/conversations.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { client, operator, url } = await startTestApp();
let browser: Browser;
let visit: Visit;
let page: Page;

const paths = {
  retention: '/v1/organization/retention',
  rules: '/v1/contact-rules',
  hours: '/v1/quiet-hours',
};

/** The operator key is asked for once, and stays in the memory of the page. */
async function save(button: string, message: string): Promise<void> {
  const submit = page.getByRole('button', { name: button, exact: true });
  await submit.click();
  const key = page.getByLabel('Operator key');
  await key
    .or(page.getByText(message, { exact: false }))
    .first()
    .waitFor();
  if (await key.isVisible()) {
    await key.fill(operator.key);
    await submit.click();
  }
  await page.getByText(message, { exact: false }).first().waitFor();
}

async function shows(field: Locator, value: string): Promise<void> {
  const is_shown = ([element, expected]: [unknown, string]) =>
    (element as HTMLInputElement).value === expected;
  await page.waitForFunction(is_shown, [await field.elementHandle(), value] as [unknown, string]);
}

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  visit = await visitConsole(browser, { url, key: client.key });
  page = visit.page;
});
after(() => browser?.close());

test('a change of one kind of retention keeps the days of the others', { skip }, async () => {
  await ok(operator, 'PATCH', paths.retention, { messages: 30 });
  await visit.open('/privacy', 'Privacy');
  const messages = page.getByLabel('Content of messages');
  await shows(messages, '30');
  await ok(operator, 'PATCH', paths.retention, { messages: 365 });
  await page.getByLabel('Recordings').fill('10');
  await save('Save retention', 'The retention is saved.');
  const saved = await ok<Retention>(client, 'GET', paths.retention);
  assert.deepEqual([saved.messages, saved.recordings], [365, 10]);
  await shows(messages, '365');
});

test('a change of one contact rule keeps the others', { skip }, async () => {
  await visit.go('/contact-rules', 'Contact rules');
  const scope = page.getByLabel('A person who says stop');
  await shows(scope, 'phone');
  await ok(operator, 'PUT', paths.rules, { stop_scope: 'channel', messages_per_person_per_day: 3 });
  await page.getByLabel('New recipients per day').fill('6');
  await save('Save contact rules', 'The contact rules are saved.');
  const saved = await ok<ContactRules>(client, 'GET', paths.rules);
  assert.deepEqual(
    [saved.stop_scope, saved.messages_per_person_per_day, saved.new_recipients_per_day],
    ['channel', 3, 6],
  );
  await shows(scope, 'channel');
});

test('a change of the quiet hours of calls keeps those of texts', { skip }, async () => {
  await visit.go('/quiet-hours', 'Quiet hours');
  await page.getByLabel('Limit calls to a time of day').check();
  await ok(operator, 'PUT', paths.hours, { sms: { from: '10:00', to: '18:00' } });
  await save('Save quiet hours', 'The quiet hours are saved.');
  const saved = await ok<QuietHours>(client, 'GET', paths.hours);
  assert.deepEqual([saved.calls?.from, saved.sms?.from], ['08:00', '10:00']);
  await shows(page.getByLabel('texts from'), '10:00');
  visit.assertClean();
});
