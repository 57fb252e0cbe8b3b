// A person in a real browser signs up, creates an organization and approves a command-line program, without a mouse.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Identity } from '@parley/contract/access/identity';
import type { Contact } from '@parley/contract/rules/people/contacts';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codeTo } from '../../packages/server/testing/visitor.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { axeViolations } from './console-page.ts';

const app = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_SIGN_UP: 'open' });
const { url } = app;
const password = 'correct horse battery';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

const post = async <T>(path: string, fields: Record<string, string>) => {
  const response = await fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) });
  return (await response.json()) as T;
};

/** Fills the fields in keyboard order, and submits the form with Enter. */
async function type(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await page.getByLabel(label).focus();
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
}

/** Presses Tab until the button has the focus, then Enter. */
async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.waitFor();
  for (let tries = 0; tries < 20; tries++) {
    if (await button.evaluate((element) => element === element.ownerDocument.activeElement)) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
}

/** In light colors at 1440 pixels and in dark ones at 390. */
async function examine(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    assert.deepEqual(await axeViolations(page), [], `${page.url()}, ${colorScheme}, ${width} pixels`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, page.url());
  }
}

let browser: Browser;
before(async () => {
  if (!withoutBrowser) browser = await openBrowser();
});
after(() => browser?.close());

async function withPage(work: (page: Page) => Promise<void>, also_allowed: string[] = []): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The browser itself requests an icon, and reports when there is none.
    // Axe adds a style element to the page, which the policy blocks.
    if (message.type() === 'error' && !/favicon|status of 404|^Applying inline style/.test(message.text()))
      complaints.push(message.text());
  });
  await page.route('**/*', (route) => {
    const target = route.request().url();
    if ([url, ...also_allowed].some((allowed) => target.startsWith(`${allowed}/`))) return route.continue();
    elsewhere.push(target);
    return route.abort();
  });
  await work(page);
  assert.deepEqual(elsewhere, [], 'no page requests another host');
  assert.deepEqual(complaints, [], 'no page violates its own policy');
  await context.close();
}

test('from sign-up to a working key on the command line, and a second organization sees nothing of it', {
  skip: withoutBrowser,
}, async () => {
  const begun = await post<{ device_code: string; user_code: string; verification_uri_complete: string }>(
    '/auth/device/code',
    { client_id: 'parley-cli' },
  );
  const poll = () =>
    post<{ access_token?: string; error?: string }>('/auth/device/token', {
      grant_type,
      client_id: 'parley-cli',
      device_code: begun.device_code,
    });
  assert.equal((await poll()).error, 'authorization_pending');

  await withPage(async (page) => {
    await page.goto(begun.verification_uri_complete);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await examine(page);
    await page.getByRole('link', { name: 'Create an account' }).press('Enter');
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await examine(page);
    await type(page, { 'Your name': 'Ana Sousa', Email: 'ana@example.com', Password: password });
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await type(page, { 'Code from the mail': await codeTo(app, 'ana@example.com') });
    await page.getByText('Your account is ready').waitFor();
    await type(page, { Email: 'ana@example.com', Password: password });
    await page.getByRole('heading', { name: 'Create an organization' }).waitFor();
    await type(page, { 'Name of the organization': 'Sousa Trading' });
    await page.getByText(begun.user_code).waitFor();
    await page.getByText('Sousa Trading').waitFor();
    await examine(page);
    await press(page, 'Approve');
    await page.getByRole('heading', { name: 'Device connected' }).waitFor();
  });

  const { access_token } = await poll();
  const ana = app.holder(access_token!);
  const me = await ana.request<Identity>('GET', '/v1/whoami');
  assert.deepEqual([me.status, me.body.email, me.body.auth_kind], [200, 'ana@example.com', 'apikey']);
  const contact = await ana.request<Contact>('POST', '/v1/contacts', { name: 'Bo', email: 'bo@example.com' });
  assert.equal(contact.status, 201);

  const other = await app.client.request<{ id: string }>('POST', '/v1/admin/organizations', {
    name: 'Other',
  });
  const other_client = app.organization({ organization_id: other.body.id });
  assert.equal((await other_client.request('GET', `/v1/contacts/${contact.body.id}`)).status, 404);
  const listed = await other_client.request<{ items: Contact[] }>('GET', '/v1/contacts');
  assert.deepEqual(listed.body.items, []);
});

test('a program that registered itself gets its code through the consent page', {
  skip: withoutBrowser,
}, async () => {
  const callbacks: URL[] = [];
  const program = createServer((request, response) => {
    callbacks.push(new URL(request.url!, 'http://127.0.0.1'));
    response.setHeader('content-type', 'text/html');
    response.end('<title>Done</title><h1>Back in the program</h1>');
  }).listen(0, '127.0.0.1');
  await once(program, 'listening');
  after(() => program.close());
  const program_url = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
  const registered = await fetch(`${url}/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A desktop program',
      redirect_uris: [`${program_url}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: `${program_url}/callback`,
    scope: 'parley',
    state: 'kept',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  });
  await withPage(
    async (page) => {
      await page.goto(`${url}/auth/oauth2/authorize?${query}`);
      await type(page, { Email: 'ana@example.com', Password: password });
      await page.getByText('A desktop program').waitFor();
      await page.getByText(new URL(program_url).host).waitFor();
      await examine(page);
      await press(page, 'Allow');
      await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
    },
    [program_url],
  );
  const back = callbacks.find(({ pathname }) => pathname === '/callback')!;
  assert.ok(back.searchParams.get('code'));
  assert.equal(back.searchParams.get('state'), 'kept');
});
