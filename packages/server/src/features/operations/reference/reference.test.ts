// The API reference is readable without a credential.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { operationGroups } from '@parley/contract/index';
import { version } from '@parley/contract/version';
import { Client, request } from 'undici';
import { startTestApp } from '../../../../testing/app.ts';

const { anonymous, client, url } = await startTestApp();

test('openapi.json is OpenAPI 3.1 of the version of the product and names this server', async () => {
  const { body } = await anonymous.request<{
    openapi: string;
    info: { version: string };
    servers: { url: string }[];
  }>('GET', '/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  assert.equal(body.info.version, version);
  assert.equal(body.servers[0]!.url, url);
});

test('llms.txt names every operation and where to read more', async () => {
  const { text, headers } = await anonymous.request('GET', '/llms.txt');
  assert.match(headers.get('content-type')!, /^text\/plain/);
  assert.ok(text.startsWith('# Parley\n'));
  assert.ok(text.includes(`${url}/openapi.json`));
  for (const { operations } of operationGroups) {
    for (const { method, path } of Object.values(operations))
      assert.ok(text.includes(`\`${method} ${path}\``), path);
  }
});

test('llms.txt names the guides, and each can be read here', async () => {
  const { text } = await anonymous.request('GET', '/llms.txt');
  for (const name of ['sdk', 'mcp', 'cli']) {
    assert.ok(text.includes(`${url}/guides/${name}.md`), name);
    const guide = await anonymous.request('GET', `/guides/${name}.md`);
    assert.match(guide.headers.get('content-type')!, /^text\/markdown/);
    assert.match(guide.text, /^# /);
  }
  for (const path of ['/guides/none.md', '/guides/..%2F..%2FREADME.md', '/guides/%2e%2e%2fpackage.json'])
    assert.equal((await anonymous.request('GET', path)).status, 404, path);
});

test('the reference page is served', async () => {
  const { status } = await anonymous.request('GET', '/docs/');
  assert.equal(status, 200);
});

test('health and readiness need no credential', async () => {
  assert.deepEqual((await anonymous.request('GET', '/healthz')).body, { status: 'alive', version });
  assert.equal((await anonymous.request<{ status: string }>('GET', '/readyz')).body.status, 'ready');
});

test('every request is counted by its operation and status', async () => {
  await anonymous.request('GET', '/v1/whoami');
  const { text } = await client.request('GET', '/metrics');
  assert.match(
    text,
    /parley_http_request_duration_seconds_count\{operation="identity\.whoami",status="401"\} 1/,
  );
});

test('openapi.json starts with the channels', async () => {
  const { body } = await anonymous.request<{ tags: { name: string }[] }>('GET', '/openapi.json');
  const channels = body.tags
    .map(({ name }) => name)
    .filter((name) => ['calls', 'emails', 'sms'].includes(name));
  assert.deepEqual(channels, ['calls', 'emails', 'sms']);
  assert.equal(body.tags[0]!.name, 'calls');
});

test('openapi.json and the script of the reference page are compressed for clients that accept it', async () => {
  const { text: page } = await anonymous.request('GET', '/docs/');
  const [, script] = /src="([^"]+\.js)"/.exec(page)!;
  for (const path of ['/openapi.json', new URL(script!, `${url}/docs/`).pathname]) {
    const sizes = new Map<string, number>();
    for (const accepted of ['identity', 'gzip', 'gzip;q=0.5, br', 'br;q=0']) {
      const { headers, body } = await request(url + path, { headers: { 'accept-encoding': accepted } });
      assert.equal(headers.vary, 'accept-encoding');
      const encoding = String(headers['content-encoding'] ?? 'identity');
      const bytes = Buffer.from(await body.arrayBuffer());
      sizes.set(encoding, bytes.length);
      assert.equal(encoding, { identity: 'identity', gzip: 'gzip', 'br;q=0': 'identity' }[accepted] ?? 'br');
      if (encoding === 'gzip') assert.ok(gunzipSync(bytes).length > 3 * bytes.length, path);
      if (encoding === 'br') assert.ok(brotliDecompressSync(bytes).length > 3 * bytes.length, path);
    }
    assert.ok(sizes.get('identity')! > 3 * sizes.get('gzip')!, path);
  }
});

test('introduction, quick start, authentication and every guide are pages that link to each other', async () => {
  const introduction = await anonymous.request('GET', '/docs/guides/introduction');
  assert.match(introduction.headers.get('content-type')!, /^text\/html/);
  const linked = [...introduction.text.matchAll(/href="(\/docs\/(?:guides|reference)\/[a-z-]+)"/g)].map(
    ([, path]) => path!,
  );
  const guides = readdirSync(new URL('../../../../../../docs/guides/', import.meta.url));
  for (const name of guides) assert.ok(linked.includes(`/docs/guides/${name.replace('.md', '')}`), name);
  assert.deepEqual(
    linked.filter((path) => path.includes('/guides/')).slice(0, 3),
    ['introduction', 'quick-start', 'authentication'].map((name) => `/docs/guides/${name}`),
  );
  for (const path of new Set(linked)) {
    const page = await anonymous.request('GET', path);
    assert.equal(page.status, 200, path);
    assert.match(page.text, /<h1 id="/, path);
    for (const [, target, anchor] of page.text.matchAll(/href="(\/docs\/[a-z-]+\/[a-z-]+)(#[^"]*)?"/g)) {
      if (!anchor) continue;
      const { text } = await anonymous.request('GET', target!);
      assert.ok(text.includes(`id="${anchor.slice(1)}"`), `${path} links to ${target}${anchor}`);
    }
  }
  assert.equal((await anonymous.request('GET', '/docs/guides/none')).status, 404);
  assert.equal((await anonymous.request('GET', '/docs/guides/..%2F..%2FREADME')).status, 404);
});

test('a page that does not exist is an error of the API, with code and fix', async (t) => {
  // Sends the path as it is; `fetch` would remove the dots.
  const raw = new Client(url);
  t.after(() => raw.close());
  for (const path of [
    '/docs/none',
    '/docs/guides/../../../../etc/passwd',
    '/docs/js/../../none',
    '/docs/%zz',
  ]) {
    const { statusCode, headers, body } = await raw.request({ method: 'GET', path });
    assert.match(String(headers['content-type']), /^application\/problem\+json/, path);
    const { code, fix } = (await body.json()) as { code: string; fix: string };
    assert.ok(fix, path);
    const expected = path.endsWith('%zz') ? [400, 'malformed_request'] : [404, 'not_found'];
    assert.deepEqual([statusCode, code], expected, path);
  }
});
