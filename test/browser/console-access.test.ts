// Accessibility, size and long lists: no axe violation in light or dark colors, at any width, and everything works by
// keyboard.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech } from '../../packages/server/testing/calls.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { consolePages, fillConsole } from './console-content.ts';
import { animationsEnded, axeViolations, settled, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
// The overview looks up the DNS records of its domain; nothing listens on this port.
const app = await startTestApp({ PARLEY_DNS_SERVERS: '127.0.0.1:1' }, { speech: () => codedSpeech() });
const { client, operator, url } = app;
let browser: Browser;
let pages: [name: string, path: string][] = [];

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  pages = consolePages(await fillConsole(client, operator));
});
after(() => browser?.close());

/** Colors do not depend on the width, nor the layout on the colors: two variants cover both. */
const variants = [
  { colors: 'light', width: 1440 },
  { colors: 'dark', width: 390 },
] as const;

test('axe finds nothing wrong on any page, in light and dark colors, at 1440 and 390 pixels', {
  skip,
  // More than a hundred examinations: on a slow machine they take longer than other tests may.
  timeout: 900_000,
}, async () => {
  const wrong: string[] = [];
  const order = [...variants];
  // The menu is the same on every page, so it is examined with the first one.
  const examine = async (page: Page, name: string, without_menu = false) => {
    // Each page starts with the variant of the page before: a change of colors takes long.
    for (const { colors, width } of order.reverse()) {
      await page.emulateMedia({ colorScheme: colors });
      // The console switches a moment later, and then its colors change gradually.
      await page.locator(`html[data-mantine-color-scheme=${colors}]`).waitFor();
      await page.setViewportSize({ width, height: 844 });
      await animationsEnded(page);
      const found = await axeViolations(page, { without_menu });
      // Neither the page nor a table in it.
      const is_too_wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('.main, .table-scroll')].some(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
        ),
      );
      if (is_too_wide) found.push('scrolls sideways');
      wrong.push(...found.map((each) => `${name}, ${colors}, ${width} pixels: ${each}`));
    }
  };
  const signIn = await visitConsole(browser, { url });
  await signIn.open('/', 'Parley');
  await examine(signIn.page, 'sign-in');
  await signIn.open('/no/such/page', 'Page not found');
  await examine(signIn.page, 'not-found');
  await signIn.close();
  const visit = await visitConsole(browser, { url, key: client.key });
  await visit.open('/contacts');
  for (const [name, path] of pages) {
    // Another tab of the same page has the same heading, so it is loaded.
    if (new URL(visit.page.url(), url).pathname === path.split('?')[0]) await visit.open(path);
    else await visit.go(path);
    await settled(visit.page);
    await examine(visit.page, name, name !== pages[0]![0]);
  }
  assert.deepEqual(wrong, []);
  visit.assertClean();
  await visit.close();
});

test('every page can be opened by its address', { skip }, async () => {
  const documentAt = async (path: string) => {
    const response = await fetch(url + path);
    assert.equal(response.status, 200, path);
    // Every response has its own nonce, and loads the script of its page early.
    const own = /csp-nonce" content="[^"]+|<link rel="modulepreload"[^>]*>|\s/g;
    return (await response.text()).replaceAll(own, '');
  };
  const document = await documentAt('/');
  assert.match(document, /<script/);
  for (const [name, path] of pages) assert.equal(await documentAt(path), document, name);
});

test('the first page plots every channel, and sends each request once', { skip }, async () => {
  const visit = await visitConsole(browser, { url, key: client.key });
  const requests: string[] = [];
  visit.page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/v1/')) requests.push(pathname + search);
  });
  await visit.open('/');
  await settled(visit.page);
  for (const summary of [
    /^Emails by hour: 7 sent/,
    /^Calls by hour: 1 completed, 1 not answered/,
    /^Texts by hour: 1 delivered, 0 not delivered, 1 received/,
  ])
    await visit.page.getByRole('img', { name: summary }).waitFor();
  assert.ok(
    requests.some((path) => path.startsWith('/v1/emails/stats')),
    requests.join(' '),
  );
  assert.deepEqual(
    requests.filter((path, index) => requests.indexOf(path) !== index),
    [],
  );
  await visit.close();
});

test('on a phone no table column is missing', { skip }, async () => {
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const visit = await visitConsole(browser, { url, key: client.key, context });
  const { page } = visit;
  // Each row is a card with all its columns.
  await visit.open('/contacts', 'Contacts');
  await page.getByRole('button', { name: 'Edit Ana Sousa' }).tap();
  await page.getByRole('dialog', { name: 'Edit Ana Sousa' }).waitFor();
  // A DNS record is long and must stay readable: not one character per line.
  await visit.open(pages.find(([name]) => name === 'domain')![1], 'mail.cafe-sousa.example');
  const value = await page.locator('td .mono', { hasText: 'v=DKIM1' }).boundingBox();
  assert.ok(value && value.width > 150, `${value?.width} pixels wide`);
  await visit.close();
});

test('the keyboard alone is enough to sign in, send a mail, read it and sign out', {
  skip,
}, async () => {
  const visit = await visitConsole(browser, { url });
  const { page } = visit;
  /** Presses Tab until the element has the focus; fails if it cannot be reached. */
  const reach = async (name: string | RegExp, role: 'link' | 'button' | 'textbox' | 'checkbox') => {
    const target = page.getByRole(role, { name, exact: typeof name === 'string' }).first();
    await target.waitFor();
    for (let tries = 0; tries < 90; tries++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`${name} cannot be reached`);
  };
  await page.goto(url);
  await page.getByLabel('API key').waitFor();
  await page.keyboard.type(client.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
  await reach('Compose', 'link');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Compose' }).waitFor();
  await reach(/^To/, 'textbox');
  await page.keyboard.type('delivered@sandbox.test');
  await reach(/^Subject/, 'textbox');
  await page.keyboard.type('Without a mouse');
  await reach('The recipient has agreed to be contacted', 'checkbox');
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Without a mouse' }).waitFor();
  await reach('Emails', 'link');
  await page.keyboard.press('Enter');
  await reach('Without a mouse', 'link');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Without a mouse' }).waitFor();

  // A dialog takes the focus, traps it, closes on Escape and restores it.
  await visit.page.goto(`${url}/contacts`);
  await reach('Add a contact', 'button');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  assert.ok(await page.evaluate(() => document.activeElement?.closest('dialog') !== null));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Add a contact');
  await reach('Sign out', 'button');
  await page.keyboard.press('Enter');
  await page.getByLabel('API key').waitFor();
  visit.assertClean();
  await visit.close();
});

test('the first load is at most 260 KB over the wire', { skip }, async () => {
  const visit = await visitConsole(browser, { url, key: client.key });
  const loaded: string[] = [];
  let bytes = 0;
  visit.page.on('response', async (response) => {
    const { pathname } = new URL(response.url());
    if (pathname !== '/' && !pathname.startsWith('/assets/')) return;
    loaded.push(pathname);
    bytes += Number(response.headers()['content-length']);
  });
  await visit.open('/', 'Overview');
  await visit.page.getByRole('img', { name: /^Emails by/ }).waitFor();
  await settled(visit.page);
  assert.ok(loaded.length > 4 && bytes > 100_000, `${bytes} bytes in ${loaded.length} files were seen`);
  assert.ok(bytes <= 260 * 1024, `${bytes} bytes: ${loaded.join(', ')}`);
  await visit.close();
});

test('every page is a separate file, and no built file names another host', () => {
  const place = new URL('../../packages/console/dist/assets/', import.meta.url);
  const scripts = readdirSync(place).filter((name) => name.endsWith('.js'));
  assert.ok(scripts.length > 20);
  for (const name of ['overview', 'calls', 'webhooks', 'sandbox', 'connect'])
    assert.ok(
      scripts.some((file) => file.startsWith(`${name}-`)),
      name,
    );
  for (const name of readdirSync(place).filter((file) => file.endsWith('.css')))
    assert.doesNotMatch(readFileSync(new URL(name, place), 'utf8'), /url\(\s*["']?https?:/);
});

test('a thousand rows scroll: only visible rows are rendered, and the last one is reached', {
  skip,
}, async () => {
  const many = app.organization();
  // Five pages of the list, and many times the rows that fit on the screen.
  const rows = 1000;
  await app.db.pool.query(
    `insert into contacts (id, organization_id, kind, name, email, search_text, created_at, updated_at)
     select gen_random_uuid(), $1, 'contact', 'Person ' || lpad(n::text, 5, '0'), 'person' || n || '@example.com', 'person', now() - n * interval '1 second', now()
       from generate_series(1, $2::int) n`,
    [many.organization_id, rows],
  );
  const visit = await visitConsole(browser, { url, key: many.key });
  const { page } = visit;
  await visit.open('/contacts', 'Contacts');
  const table = page.getByRole('table', { name: 'Contacts' });
  await table.getByRole('row').nth(5).waitFor();
  const drawn = await table.evaluate(async (element) => {
    let most = 0;
    for (let still = 0; still < 60; ) {
      const before = element.scrollTop;
      element.scrollTop += 3000;
      await new Promise(requestAnimationFrame);
      most = Math.max(most, element.querySelectorAll('[role=row]').length);
      still = element.scrollTop === before ? still + 1 : 0;
    }
    return most;
  });
  assert.ok(drawn < 80, `${drawn} rows were rendered`);
  await page.getByText(`${rows.toLocaleString('en')} shown`, { exact: true }).waitFor();
  await visit.close();
});
