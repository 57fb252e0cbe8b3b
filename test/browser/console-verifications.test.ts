// From an offer to an active number in the console, without leaving the page: questions, document, rejection, correction, purchase.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Browser } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { axeViolations, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { app, client, url } = await startTestApp();
let browser: Browser;
before(async () => {
  if (!skip) browser = await openBrowser();
});
after(() => browser?.close());

const pdf = { name: 'bill.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') };

test('an offer that needs a verification ends in an active number on the same page', { skip }, async () => {
  const visit = await visitConsole(browser, { url, key: client.key });
  const { page } = visit;
  await visit.open('/numbers', 'Numbers');
  await page.getByRole('button', { name: 'Buy a number' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Country').selectOption('FR');
  await dialog.getByRole('button', { name: 'Find numbers' }).click();
  const offer = dialog.getByRole('listitem').first();
  await offer.getByRole('button', { name: 'Verify first' }).click();
  await offer.getByLabel('Name of the person or company').fill('Rejected once SARL');
  await offer.getByRole('button', { name: 'Continue' }).click();
  await offer.getByText('Missing from you').waitFor();
  const fillOpen = async () => {
    await offer.getByLabel('Date of birth').fill('1980-12-31');
    await offer.getByRole('button', { name: 'Save answers' }).click();
    await offer.getByLabel('Date of birth').waitFor({ state: 'detached' });
    await offer.getByLabel('File for Proof of address').setInputFiles(pdf);
    await offer.getByRole('button', { name: 'Upload' }).click();
    await offer.getByLabel('File for Proof of address').waitFor({ state: 'detached' });
  };
  // The jobs run after the request has stored what they do.
  const submit = async (name: string) => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/submit'));
    await offer.getByRole('button', { name, exact: true }).click();
    await answered;
    await app.jobs.drain();
  };
  for (const [label, text] of [
    ['Street', '1 Rue X'],
    ['City', 'Paris'],
    ['Postal code', '75001'],
    ['Country code', 'FR'],
  ] as const)
    await offer.getByLabel(label).fill(text);
  await fillOpen();
  await submit('Submit');
  await offer.getByText('It does not match the register.').first().waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await fillOpen();
  await submit('Submit again');
  await offer.getByRole('button', { name: 'Buy', exact: true }).click();
  await page.getByText(/^You bought \+33/).waitFor();
  const { body } = await client.request<{ items: PhoneNumber[] }>('GET', '/v1/numbers');
  assert.equal(body.items[0]!.provisioning_state, 'active');

  await visit.go('/verifications', 'Verifications');
  await page.getByRole('link', { name: 'Rejected once SARL' }).click();
  await page.getByText('With the carrier').or(page.getByText('Accepted')).first().waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  visit.assertClean();
  await visit.close();
});
