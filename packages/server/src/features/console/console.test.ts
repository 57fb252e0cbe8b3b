// Serving the console: its page with a content security policy, and its built files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startTestApp } from '../../../testing/app.ts';
import { console_sections } from './index.ts';

const { url } = await startTestApp();

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

test('localhost redirects to the base URL of the server; other host names do not redirect', async () => {
  const { port } = new URL(url);
  const asked = await fetch(`http://localhost:${port}/calls?status=failed`, { redirect: 'manual' });
  assert.deepEqual([asked.status, asked.headers.get('location')], [302, `${url}/calls?status=failed`]);
});
