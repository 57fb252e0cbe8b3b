// Access to the console: a key stored for one tab or one browser, a one-time link, or a session cookie that no other page can use.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codeTo } from '../../packages/server/testing/visitor.ts';
import { makeHome } from '../journeys/process.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const app = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_SIGN_UP: 'open' });
const { url } = app;
const password = 'correct horse battery';
let browser: Browser;
before(async () => {
  if (!skip) browser = await openBrowser();
});
after(() => browser?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

test('U8: a key is entered once, used by all open tabs, not stored for longer, and deleted at sign-out', {
  skip,
}, async () => {
  const visit = await visitConsole(browser, { url });
  const { page } = visit;
  await visit.open('/', 'Parley');
  await page.getByLabel('API key').fill('not-a-key');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('This key is not valid on this server.').waitFor();
  await page.getByLabel('API key').fill(app.client.key);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await heading(page, 'Overview');
  await page.reload();
  await heading(page, 'Overview');

  const stored = await page.evaluate(() => ({ local: { ...localStorage }, cookies: document.cookie }));
  assert.ok(!JSON.stringify(stored).includes(app.client.key), 'the key is only in sessionStorage');
  const other_tab = await page.context().newPage();
  await other_tab.goto(`${url}/contacts`);
  await heading(other_tab, 'Contacts');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await other_tab.getByLabel('API key').waitFor();
  await page.reload();
  await page.getByLabel('API key').waitFor();
  visit.assertClean();
  await visit.close();
});

test('a person who stays signed in is signed in in every tab, until they sign out in one', {
  skip,
}, async () => {
  const visit = await visitConsole(browser, { url });
  const { page } = visit;
  await visit.open('/', 'Parley');
  await page.getByLabel('API key').fill(app.client.key);
  await page.getByLabel('Stay signed in').check();
  await page.getByRole('button', { name: 'Open the console' }).click();
  await heading(page, 'Overview');
  const other_tab = await page.context().newPage();
  await other_tab.goto(`${url}/contacts`);
  await heading(other_tab, 'Contacts');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await other_tab.getByLabel('API key').waitFor();
  visit.assertClean();
  await visit.close();
});

test('a wrong address shows a page that leads back', { skip }, async () => {
  const visit = await visitConsole(browser, { url });
  await visit.open('/no/such/page', 'Page not found');
  await visit.page.getByRole('link', { name: 'Go to the start page' }).click();
  await visit.page.getByLabel('API key').waitFor();
  visit.assertClean();
  await visit.close();
});

test('a key that is revoked in the meantime shows the sign-in page', { skip }, async () => {
  const visit = await visitConsole(browser, { url, key: 'parley_key_that_was_never_issued' });
  await visit.page.goto(`${url}/contacts`);
  await visit.page.getByLabel('API key').waitFor();
  await visit.close();
});

test('a person signs in with an account, sees their own organization, and signs out', { skip }, async () => {
  const visit = await visitConsole(browser, { url });
  const { page } = visit;
  await visit.open('/', 'Parley');
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Ana Sousa');
  await page.getByLabel('Email').fill('ana@example.com');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code from the mail').fill(await codeTo(app, 'ana@example.com'));
  await page.keyboard.press('Enter');
  await page.getByText('Your account is ready').waitFor();
  await page.getByLabel('Email').fill('ana@example.com');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  // Signed in, but not a member of an organization yet.
  await page.waitForURL(`${url}/`);
  await page.getByText('You are signed in, but you are not a member of an organization yet.').waitFor();
  await page.goto(`${url}/auth/organizations/new`);
  await page.getByLabel('Name of the organization').fill('Sousa Trading');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/auth`);

  await page.getByRole('link', { name: 'Open the console' }).click();
  await heading(page, 'Overview');
  await visit.open('/contacts', 'Contacts');
  await page.getByRole('cell', { name: 'Ana Sousa', exact: true }).waitFor();
  await visit.open('/api-keys', 'API keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Purpose').fill('My program');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.getByRole('region', { name: 'Key My program' }).locator('pre').textContent())!;
  const who = await app.holder(key).request<{ email: string }>('GET', '/v1/whoami');
  assert.deepEqual([who.status, who.body.email], [200, 'ana@example.com']);
  assert.equal(
    await page.getByRole('link', { name: 'Admin' }).count(),
    0,
    'pages without permission are not offered',
  );

  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name.includes('session_token'))!;
  assert.deepEqual([session.httpOnly, session.sameSite], [true, 'Lax']);
  assert.equal(session.expires, -1, 'the cookie ends with the browser');
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  assert.doesNotMatch(stored, /eyJ/, 'the token is only in memory');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/auth\/sign-in/);
  await page.goto(url);
  await page.getByRole('link', { name: 'Sign in with your account' }).waitFor();
  visit.assertClean();
  await visit.close();
});

test('the session cookie is useless to a page of another origin', { skip }, async () => {
  const evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>evil</title><h1>evil</h1>');
  }).listen(0, '127.0.0.1');
  await once(evil, 'listening');
  after(() => evil.close());
  const evil_url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;

  const visit = await visitConsole(browser, { url, unguarded: true });
  const { page } = visit;
  await page.goto(`${url}/auth/sign-in?next=/`);
  await page.getByLabel('Email').fill('ana@example.com');
  await page.getByLabel('Stay signed in').check();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await heading(page, 'Overview');
  const kept = (await page.context().cookies()).find(({ name }) => name.includes('session_token'))!;
  assert.ok(kept.expires > Date.now() / 1000 + 86_400, 'the choice lasts longer than a day');

  // Another port of this host is the same site to a browser, so the cookie is sent: it must have no effect.
  await page.goto(evil_url);
  const responses = await page.evaluate(async (target) => {
    const ask = async (path: string, init: RequestInit) =>
      fetch(target + path, { credentials: 'include', ...init })
        .then(async (response) => `${response.type} ${response.status} ${await response.text()}`)
        .catch(() => 'refused');
    return {
      token: await ask('/auth/console-token', { method: 'POST', body: new URLSearchParams() }),
      blind: await ask('/auth/console-token', {
        method: 'POST',
        mode: 'no-cors',
        body: new URLSearchParams(),
      }),
      read: await ask('/v1/contacts', {}),
      write: await ask('/v1/contacts', {
        method: 'POST',
        mode: 'no-cors',
        body: JSON.stringify({ name: 'Mallory', email: 'mallory@example.com' }),
      }),
    };
  }, url);
  assert.equal(responses.token, 'refused');
  assert.equal(responses.read, 'refused');
  assert.doesNotMatch(Object.values(responses).join(), /eyJ/);
  const framed = await page.evaluate(async (target) => {
    const frame = document.createElement('iframe');
    frame.src = target;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener('load', resolve));
    return frame.contentDocument === null ? 'not shown' : frame.contentDocument.body.innerHTML;
  }, url);
  assert.match(framed, /^(not shown)?$/);

  await visit.open('/contacts', 'Contacts');
  await page.getByText('1 shown', { exact: true }).waitFor();
  assert.equal(await page.getByText('Mallory').count(), 0);
  await visit.close();
});

test('a cookie alone gets no API response, and a token is issued only to a page of this server', async () => {
  const signed_in = await fetch(`${url}/auth/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({ email: 'ana@example.com', password, next: '/' }),
  });
  if (skip) return;
  const cookie = signed_in.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  assert.equal(signed_in.headers.get('location'), '/');
  assert.equal((await fetch(`${url}/v1/whoami`, { headers: { cookie } })).status, 401);
  const ask = (headers: Record<string, string>) =>
    fetch(`${url}/auth/console-token`, { method: 'POST', headers });
  assert.equal((await ask({ cookie })).status, 403, 'no origin');
  assert.equal((await ask({ cookie, origin: 'https://evil.example' })).status, 403);
  assert.equal((await ask({ origin: url })).status, 401, 'no cookie');
  const given = await ask({ cookie, origin: url });
  assert.equal(given.status, 200);
  const { token, organization } = (await given.json()) as { token: string; organization: { name: string } };
  assert.equal(organization.name, 'Sousa Trading');
  const who = await app.holder(token).request<{ auth_kind: string }>('GET', '/v1/whoami');
  assert.deepEqual([who.status, who.body.auth_kind], [200, 'jwt']);
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/v1/emails']) {
    const response = await fetch(`${url}/auth/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url },
      body: new URLSearchParams({ email: 'ana@example.com', password, next }),
    });
    assert.ok([null, '/auth'].includes(response.headers.get('location')), next);
  }
});

test('localhost redirects to the base URL of the server', async () => {
  const { port } = new URL(url);
  const response = await fetch(`http://localhost:${port}/calls?status=failed`, { redirect: 'manual' });
  assert.deepEqual([response.status, response.headers.get('location')], [302, `${url}/calls?status=failed`]);
});

test('the link of the start signs in once; the page survives a restart and shows what happened in the meantime', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const home = makeHome(t);
  const first = await home.start({ PARLEY_ROLES: 'api,worker' });
  const { port } = new URL(first.url);
  const [link] = /http\S+#sign-in=\S+/.exec(first.output())!;
  const visit = await visitConsole(browser, { url: first.url });
  await visit.page.goto(link);
  await heading(visit.page, 'Overview');
  assert.equal(visit.page.url(), `${first.url}/`, 'the secret is not left in the address');
  const again = await visitConsole(browser, { url: first.url });
  await again.page.goto(link);
  await again.page.getByText('This sign-in link was already used or has expired.').waitFor();
  await again.close();
  await visit.open('/emails', 'Emails');
  await visit.page.getByText('Live', { exact: true }).waitFor();
  await first.stop();
  await visit.page.getByText('Reconnecting', { exact: true }).waitFor();
  const second = await home.start({ PORT: port, PARLEY_ROLES: 'api,worker', NODE_ENV: 'production' });
  assert.doesNotMatch(second.output(), /sign-in=/, 'in production the output is a log');
  await second.request('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject: 'After the restart',
    recipient_consent: true,
  });
  await visit.page.getByText('Live', { exact: true }).waitFor();
  await visit.page.getByRole('link', { name: 'After the restart' }).waitFor();
  await visit.close();
});
