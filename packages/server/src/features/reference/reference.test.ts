// The API reference is readable without a credential.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationGroups } from '@parley/contract/index';
import { version } from '@parley/contract/version';
import { startTestApp } from '../../../testing/app.ts';

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
  assert.deepEqual((await anonymous.request('GET', '/readyz')).body, {
    status: 'ready',
    checks: {
      database: 'ready',
      storage: 'ready',
      disk: 'ready',
      carrier: 'ready',
      mail: 'ready',
      engines: 'ready',
    },
  });
});

test('every request is counted by its operation and status', async () => {
  await anonymous.request('GET', '/v1/whoami');
  const { text } = await client.request('GET', '/metrics');
  assert.match(
    text,
    /parley_http_request_duration_seconds_count\{operation="identity\.whoami",status="401"\} 1/,
  );
});
