// A double click sends once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech } from '../../packages/server/testing/calls.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { type Visit, visitConsole } from './console-page.ts';

const app = await startTestApp({}, { speech: () => codedSpeech() });
const skip = withoutBrowser;
let browser: Browser;
let visit: Visit;

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  visit = await visitConsole(browser, { url: app.url, key: app.client.key });
});
after(() => browser?.close());

type Noun = 'emails' | 'sms' | 'calls';
const countOf = async (noun: Noun) =>
  (await app.client.request<{ items: unknown[] }>('GET', `/v1/${noun}?limit=200`)).body.items.length;

/** Submits the form twice before the page can react, and holds the responses back until both were sent. */
async function submitTwice(noun: Noun, button: string): Promise<string[]> {
  const { page } = visit;
  const keys: string[] = [];
  const both = Promise.withResolvers<void>();
  await page.route(`**/v1/${noun}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key'] ?? 'none');
    if (keys.length === 2) both.resolve();
    await both.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: button, exact: true }).evaluate((element) => {
    const { form } = element as HTMLButtonElement;
    form!.requestSubmit();
    form!.requestSubmit();
  });
  await page.waitForURL((url) => !url.pathname.startsWith('/compose'));
  await page.unroute(`**/v1/${noun}`);
  return keys;
}

const forms = [
  {
    noun: 'emails',
    tab: 'Email',
    button: 'Send email',
    fields: { To: 'delivered@sandbox.test', Subject: 'Once' },
  },
  { noun: 'sms', tab: 'Text', button: 'Send text', fields: { To: '+15005550001', Text: 'Once' } },
  { noun: 'calls', tab: 'Call', button: 'Place call', fields: { To: '+15005550202' } },
] as const;

for (const { noun, tab, button, fields } of forms) {
  test(`a double click on "${button}" creates one record (C4)`, { skip }, async () => {
    await visit.open('/compose', 'Compose');
    const { page } = visit;
    await page.getByRole('tab', { name: tab }).click();
    for (const [label, value] of Object.entries(fields))
      await page.getByRole('textbox', { name: label }).first().fill(value);
    await page.getByLabel('The recipient has agreed to be contacted').check();
    const before_count = await countOf(noun);
    const keys = await submitTwice(noun, button);
    assert.equal(keys.length, 2);
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(keys[0], 'none');
    assert.equal(await countOf(noun), before_count + 1);
  });
}
