// The reference page works in a real browser and sends requests only to its own server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';

const { url } = await startTestApp();

test('the reference shows every group of operations and requests no other host', {
  skip: withoutBrowser,
}, async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    // Aborted before it is sent: the page must not need it.
    await page.route('**/*', (route) => {
      const target = route.request().url();
      if (target.startsWith(`${url}/`) || target.startsWith('data:') || target.startsWith('blob:'))
        return route.continue();
      elsewhere.push(target);
      return route.abort();
    });
    await page.goto(`${url}/docs`);
    await page.getByText('Add a contact').first().waitFor({ timeout: 180_000 });
    await page.getByText('Get the owner of the credential').first().waitFor();
    await page.waitForLoadState('networkidle');
    const links = await page
      .locator('a[href^="http"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.ok(
      links.every((link) => !link?.includes('mcp')),
      'no links to build tools elsewhere',
    );
    assert.deepEqual(elsewhere, []);
  } finally {
    await browser.close();
  }
});
