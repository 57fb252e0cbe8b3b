// Serving the console: its page with a content security policy, and its built files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { readConfig } from '../../../config/config.ts';
import { console_sections } from './index.ts';
import { mayHaveLink, oneTimeSignIn } from './one-time-sign-in.ts';

const previous_key = 'the-shared-key-before-the-rotation';
const { app, client, operator, organization, holder, url } = await startTestApp({
  PARLEY_SHARED_KEY_PREVIOUS: previous_key,
});
let now_ms = 0;
const stepped = { ms: () => now_ms, now: () => new Date(now_ms) };

test('the URL of every section returns the page, with a policy that allows only its own scripts', async () => {
  for (const path of [
    '/',
    ...console_sections.flatMap((section) => [`/${section}`, `/${section}/any/thing`]),
  ]) {
    const answer = await fetch(url + path);
    assert.equal(answer.status, 200, path);
    assert.match(await answer.text(), /<div id="root">/);
    const policy = answer.headers.get('content-security-policy')!;
    for (const part of [
      "default-src 'none'",
      "script-src 'self';",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      assert.ok(policy.includes(part), part);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
});

test('every page of the menu has a section, so that its URL can be opened and reloaded', () => {
  const menu = readFileSync('packages/console/src/navigation.ts', 'utf8');
  const paths = [...menu.matchAll(/to: '\/([^']+)'/g)].map(([, section]) => section!);
  assert.deepEqual(paths.toSorted(), [...console_sections].toSorted());
});

test('the page has no inline script or style, and a new nonce each time', async () => {
  const [html, other] = await Promise.all(
    [fetch(url), fetch(url)].map(async (answer) => (await answer).text()),
  );
  assert.doesNotMatch(html!, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  const nonceOf = (text: string) => /csp-nonce" content="([^"]+)/.exec(text)![1];
  assert.notEqual(nonceOf(html!), nonceOf(other!));
  assert.doesNotMatch(html!, /\{\{/);
});

test('the script of the requested section is preloaded', async () => {
  const preloadsOf = async (path: string) =>
    [...(await (await fetch(url + path)).text()).matchAll(/modulepreload" crossorigin href="([^"]+)/g)].map(
      ([, file]) => file!,
    );
  for (const [path, name] of [
    ['/', 'overview'],
    ['/calls?status=failed', 'calls'],
    ...console_sections.map((section) => [`/${section}`, section] as const),
  ] as const) {
    const files = await preloadsOf(path);
    assert.ok(
      files.some((file) => file.startsWith(`/assets/${name}-`)),
      `${path}: ${files}`,
    );
    for (const file of files) assert.equal((await fetch(url + file)).status, 200, file);
  }
  assert.deepEqual(await preloadsOf('/calls/some-id'), []);
});

test('built files are sent compressed with an unlimited cache time; other paths are 404', async () => {
  const html = await (await fetch(url)).text();
  const script = /src="(\/assets\/console-[^"]+\.js)"/.exec(html)![1]!;
  const answer = await fetch(url + script, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(answer.headers.get('content-encoding'), 'gzip');
  assert.match(answer.headers.get('cache-control')!, /immutable/);
  assert.match(answer.headers.get('content-type')!, /^text\/javascript/);
  assert.match(await answer.text(), /import/);
  const plain = await fetch(url + script, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  for (const path of [
    '/assets/../index.html',
    '/assets/..%2findex.html',
    '/assets/%2e%2e%2fpackage.json',
    '/assets/stamp',
    '/assets/constructor',
    '/nowhere',
  ])
    assert.equal((await fetch(url + path)).status, 404, path);
});

test('a wrong address is a page for people and a problem for programs', async () => {
  const ask = (path: string, accept: string) => fetch(url + path, { headers: { accept } });
  const shown = await ask('/no/such/page', 'text/html,application/xhtml+xml');
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  assert.match(await shown.text(), /<div id="root">/);
  for (const [path, accept] of [
    ['/no/such/page', '*/*'],
    ['/v1/no-such-noun', 'text/html'],
    ['/assets/none.js', 'text/html'],
  ] as const) {
    const answer = await ask(path, accept);
    assert.equal(answer.status, 404, path);
    assert.equal(((await answer.json()) as { code: string }).code, 'not_found', path);
  }
});

/** fetch() does not send a Host header of one's choice. */
const statusForHost = (host: string, body: string) =>
  new Promise<number>((resolve, reject) =>
    request(`${url}/console/sign-in`, {
      method: 'POST',
      headers: { host, 'content-type': 'application/json' },
    })
      .on('response', (response) => resolve(response.resume().statusCode!))
      .on('error', reject)
      .end(body),
  );

const redeem = (token: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/console/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });
const tokenOf = (link: string | null) => link!.split('#sign-in=')[1]!;
/** What the page of the printed link does. */
const exchange = async (link: string, headers: Record<string, string> = {}) => {
  const { origin } = new URL(link);
  const answer = await fetch(`${origin}/exchange`, {
    method: 'POST',
    headers: { origin, ...headers },
    body: tokenOf(link),
  });
  return { status: answer.status, address: await answer.text() };
};

test('the sign-in link works once, on this machine only, and a new one replaces it', async () => {
  const replaced = (await app.signInLink())!;
  const link = (await app.signInLink())!;
  assert.match(
    link,
    /^http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]{43}$/,
    'the secret is in the fragment, which no log contains',
  );
  assert.equal((await exchange(replaced)).address, `${url}/#sign-in=`);
  assert.equal((await exchange(link, { origin: 'https://attacker.example' })).status, 403);
  const opened = await fetch(new URL(link).origin);
  assert.match(opened.headers.get('content-security-policy')!, /default-src 'none'/);

  const { address } = await exchange(link);
  assert.ok(address.startsWith(`${url}/#sign-in=`));
  for (const wrong of [tokenOf(link), tokenOf(replaced), 'x', '', null, 7, `${tokenOf(address)}x`])
    assert.equal((await redeem(wrong)).status, 401, String(wrong));
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
    assert.equal((await redeem(tokenOf(address), { [name]: '192.0.2.1' })).status, 401, name);
  const rebound = await statusForHost('attacker.example', JSON.stringify({ token: tokenOf(address) }));
  assert.equal(rebound, 401, 'a name of another site that leads to this machine');
  const first = await redeem(tokenOf(address));
  assert.deepEqual(await first.json(), { key: client.key });
  assert.equal(first.headers.get('cache-control'), 'no-store');
  assert.equal((await redeem(tokenOf(address))).status, 401, 'again');
  assert.equal((await exchange(link)).address, `${url}/#sign-in=`, 'again');
});

test('S16: whoever reads the printed link gets no key through a proxy of this machine that adds nothing', async () => {
  const link = (await app.signInLink())!;
  // As nginx does with `proxy_pass` alone: from this machine, with the host that it was told, without a trace of the client.
  assert.equal((await redeem(tokenOf(link))).status, 401);
  assert.notEqual(new URL(link).port, new URL(url).port, 'the port that a proxy knows');
  const through_proxy = await fetch(`${url}/exchange`, { method: 'POST', body: tokenOf(link) });
  assert.equal(through_proxy.status, 404);
  const { address } = await exchange(link);
  assert.equal((await redeem(tokenOf(address))).status, 200, 'a person at this machine signs in');
});

test('U8: a new sign-in link is created without a restart, only for the shared key and the operator key', async () => {
  type Link = { url: string; expires_at: string | null };
  const create = async (of: typeof client) => {
    const { status, body, text } = await of.request<Link>('POST', '/v1/console/sign-in-links');
    assert.equal(status, 201, text);
    return body;
  };
  const printed = (await app.signInLink())!;
  const link = await create(client);
  const minutes = (Date.parse(link.expires_at!) - Date.now()) / 60_000;
  assert.ok(minutes > 13 && minutes <= 15.1, `${minutes}`);
  assert.equal((await exchange(printed)).address, `${url}/#sign-in=`, 'the one before');
  const first = await redeem(tokenOf((await exchange(link.url)).address));
  assert.deepEqual(await first.json(), { key: client.key });
  assert.notEqual((await create(client)).url, link.url);
  const by_operator = await create(operator);
  assert.equal((await redeem(tokenOf((await exchange(by_operator.url)).address))).status, 200);
  for (const [name, of] of Object.entries({
    'an API key': organization(),
    'a session': organization({ credential_kind: 'session' }),
    'the previous shared key': holder(previous_key),
  }))
    assert.deepEqual(await create(of), { url: `${url}/`, expires_at: null }, name);
  assert.equal((await fetch(`${url}/v1/console/sign-in-links`, { method: 'POST' })).status, 401);
});

test('U8: with accounts, people get the address of the console', async () => {
  const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
  const { body } = await managed.client.request('POST', '/v1/console/sign-in-links');
  assert.deepEqual(body, { url: `${managed.url}/`, expires_at: null });
});

test('the sign-in link ends after a quarter of an hour, and its exchange after a minute', async () => {
  const late = oneTimeSignIn({
    wall_clock: stepped,
    shared_key: 'key',
    config: readConfig({}, '.'),
    baseUrl: () => url,
  });
  try {
    const link = await late.createLink();
    now_ms += 15 * 60_000 + 1;
    assert.equal((await exchange(link)).address, `${url}/#sign-in=`);
    const { address } = await exchange(await late.createLink());
    now_ms += 60_001;
    assert.equal(late.redeem(tokenOf(address)), null);
  } finally {
    await late.close();
  }
});

test('there is no sign-in link where other people can reach the server', () => {
  const local = readConfig({}, '.');
  assert.equal(mayHaveLink(local), true);
  for (const settings of [
    { HOST: '0.0.0.0' },
    { PARLEY_BASE_URL: 'https://parley.example.com' },
    { PARLEY_MANAGED: 'on' },
    { DATABASE_URL: 'postgres://x@127.0.0.1/x', PARLEY_SHARED_KEY: 'k'.repeat(40) },
  ])
    assert.equal(mayHaveLink(readConfig(settings, '.')), false, JSON.stringify(settings));
});

test('localhost redirects to the base URL of the server; other host names do not redirect', async () => {
  const { port } = new URL(url);
  const asked = await fetch(`http://localhost:${port}/calls?status=failed`, { redirect: 'manual' });
  assert.deepEqual([asked.status, asked.headers.get('location')], [302, `${url}/calls?status=failed`]);
});
