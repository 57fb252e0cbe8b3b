// Providers of an organization: keys are stored encrypted and never returned, one per layer is active, and a test calls the vendor.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import type { ProviderConfiguration, ProviderTest } from '@parley/contract/access/providers';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { sql } from '../../../platform/db/sql.ts';

const self_hosted = await startTestApp();
const { organization, db } = self_hosted;
const api_key = `sk-${randomBytes(24).toString('hex')}`;
type Problem = { code: string; errors?: { path: string }[] };

const seen: { url: string; authorization: string | undefined }[] = [];
const vendor = createServer((request, response) => {
  const { authorization } = request.headers;
  seen.push({ url: request.url!, authorization });
  if (request.url!.startsWith('/slow')) return;
  if (request.url!.startsWith('/odd')) response.writeHead(302, { location: 'http://127.0.0.1:1/' });
  else response.statusCode = authorization === `Bearer ${api_key}` ? 200 : 401;
  response.end('{}');
}).listen(0, '127.0.0.1');
await once(vendor, 'listening');
after(() => {
  vendor.closeAllConnections();
  vendor.close();
});
const vendor_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;

const set = (as: Client, layer: string, body: Record<string, unknown> = {}) =>
  as.request<ProviderConfiguration & Problem>('PUT', `/v1/providers/${layer}`, {
    provider: 'openai-compatible',
    api_key,
    ...body,
  });
const activate = (as: Client, layer: string, provider: string) =>
  as.request<ProviderConfiguration & Problem>('POST', `/v1/providers/${layer}/activate`, { provider });
const list = async (as: Client) =>
  (await as.request<{ items: ProviderConfiguration[] }>('GET', '/v1/providers')).body.items;
const testProvider = (as: Client, layer: string, body = {}) =>
  as.request<ProviderTest & Problem>('POST', `/v1/providers/${layer}/test`, body);

describe('a provider', () => {
  test('is set with a key, of which only the last characters are ever shown', async () => {
    const owner = organization();
    const response = await set(owner, 'llm', { params: { model: 'small' }, fallback_enabled: true });
    assert.equal(response.status, 200, response.text);
    const { key_set_at, ...rest } = response.body;
    assert.deepEqual(rest, {
      layer: 'llm',
      provider: 'openai-compatible',
      key_last4: api_key.slice(-4),
      params: { model: 'small' },
      fallback_enabled: true,
      is_active: true,
    });
    assert.match(key_set_at, /Z$/);
    const everything = await owner.request('GET', '/v1/providers');
    assert.ok(!everything.text.includes(api_key));
  });

  test('has its key encrypted in the database, for its own row only', async () => {
    const [one, two] = [organization(), organization()];
    await set(one, 'llm', { params: { base_url: vendor_url } });
    await set(two, 'llm', { params: { base_url: vendor_url }, api_key: 'another-key' });
    const rows = await db.rows<{ key_sealed: string }>(sql`select key_sealed from provider_settings`);
    assert.ok(rows.every(({ key_sealed }) => !key_sealed.includes(api_key)));
    await db.run(sql`
      update provider_settings set key_sealed = (select key_sealed from provider_settings where organization_id = ${one.organization_id})
       where organization_id = ${two.organization_id}`);
    seen.length = 0;
    assert.equal((await testProvider(two, 'llm')).status, 500, 'a copied row does not open');
    assert.deepEqual(seen, []);
  });

  test('U12: of your own needs no key, or takes a short one; a vendor needs one', async () => {
    for (const api_key of ['none', 'ollama', 'x', '', undefined]) {
      const owner = organization();
      const local = await set(owner, 'llm', { api_key, params: { base_url: vendor_url } });
      assert.deepEqual([local.status, local.body.key_last4], [200, ''], `${api_key}: ${local.text}`);
      seen.length = 0;
      assert.equal((await testProvider(owner, 'llm')).status, 200);
      assert.deepEqual(
        seen.map(({ authorization }) => authorization),
        [api_key ? `Bearer ${api_key}` : undefined],
      );
      const vendor = await set(owner, 'stt', { provider: 'deepgram', api_key });
      assert.equal(vendor.status, api_key ? 200 : 422, vendor.text);
      if (!api_key) assert.equal(vendor.body.errors?.[0]?.path, 'body.api_key');
    }
  });

  test('can be set again, which replaces the key and leaves it active', async () => {
    const owner = organization();
    await set(owner, 'tts');
    const again = await set(owner, 'tts', { api_key: 'a-new-key-WXYZ' });
    assert.deepEqual([again.body.key_last4, again.body.is_active], ['WXYZ', true]);
    assert.equal((await list(owner)).length, 1);
  });

  test('must be known, and also its layer and its params', async () => {
    const owner = organization();
    const unknown = await set(owner, 'llm', { provider: 'unknown' });
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'unknown_provider']);
    assert.equal((await set(owner, 'video')).status, 404);
    assert.equal((await activate(owner, 'video', 'openai-compatible')).status, 404);
    const typo = await set(owner, 'llm', { params: { modell: 'small' } });
    assert.deepEqual([typo.status, typo.body.errors?.[0]?.path], [422, 'body.params.modell']);
    for (const body of [{ api_key: 'with spaces in it' }, { params: { model: 'x'.repeat(20_000) } }]) {
      assert.equal((await set(owner, 'llm', body)).status, 422);
    }
  });

  test('is deleted with its key', async () => {
    const owner = organization();
    await set(owner, 'stt', { provider: 'deepgram' });
    assert.equal((await owner.request('DELETE', '/v1/providers/stt/deepgram')).status, 204);
    assert.equal((await owner.request('DELETE', '/v1/providers/stt/deepgram')).status, 404);
    assert.deepEqual(await list(owner), []);
  });
});

describe('activating a provider', () => {
  test('changes the active provider of its layer, and of no other layer', async () => {
    const owner = organization();
    await set(owner, 'tts');
    const waiting = await set(owner, 'tts', { provider: 'elevenlabs' });
    assert.equal(waiting.body.is_active, false);
    await set(owner, 'llm');
    assert.equal((await activate(owner, 'tts', 'elevenlabs')).body.is_active, true);
    assert.deepEqual(
      (await list(owner)).map(({ layer, provider, is_active }) => [layer, provider, is_active]),
      [
        ['llm', 'openai-compatible', true],
        ['tts', 'elevenlabs', true],
        ['tts', 'openai-compatible', false],
      ],
    );
  });

  test('leaves exactly one active with concurrent requests', async () => {
    const owner = organization();
    const names = ['openai-compatible', 'elevenlabs'];
    for (const provider of names) await set(owner, 'tts', { provider });
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => activate(owner, 'tts', names[i % 2]!)),
    );
    assert.deepEqual([...new Set(responses.map((response) => response.status))], [200]);
    assert.equal((await list(owner)).filter(({ is_active }) => is_active).length, 1);
  });

  test('that is not set is 404 and leaves the active one', async () => {
    const owner = organization();
    await set(owner, 'tts');
    assert.equal((await activate(owner, 'tts', 'elevenlabs')).status, 404);
    assert.equal((await list(owner))[0]!.is_active, true);
  });
});

describe('a test', () => {
  test('calls the vendor with the key and returns whether it was accepted', async () => {
    const owner = organization();
    await set(owner, 'llm', { params: { base_url: `${vendor_url}/v1/` } });
    seen.length = 0;
    const good = await testProvider(owner, 'llm');
    const { duration_ms, ...rest } = good.body;
    assert.deepEqual(rest, {
      layer: 'llm',
      provider: 'openai-compatible',
      ok: true,
      status_code: 200,
      error: null,
    });
    assert.ok(duration_ms >= 0);
    assert.deepEqual(seen, [{ url: '/v1/models', authorization: `Bearer ${api_key}` }]);
    await set(owner, 'llm', { params: { base_url: vendor_url }, api_key: 'a-wrong-key' });
    const bad = await testProvider(owner, 'llm', { provider: 'openai-compatible' });
    assert.deepEqual([bad.body.ok, bad.body.status_code, bad.body.error], [false, 401, 'key_refused']);
  });

  test('follows no redirect and reports a vendor that is not reachable', async () => {
    const owner = organization();
    await set(owner, 'llm', { params: { base_url: `${vendor_url}/odd` } });
    const odd = await testProvider(owner, 'llm');
    assert.deepEqual([odd.body.ok, odd.body.status_code, odd.body.error], [false, 302, 'unexpected_status']);
    await set(owner, 'llm', { params: { base_url: 'http://127.0.0.1:1' } });
    const away = await testProvider(owner, 'llm');
    assert.deepEqual(
      [away.body.ok, away.body.status_code, away.body.error],
      [false, null, 'connection_failed'],
    );
  });

  test('of a layer without a provider is 404', async () => {
    assert.equal((await testProvider(organization(), 'llm')).status, 404);
  });
});

test('another organization cannot see, test, activate or remove a provider', async () => {
  const [owner, other] = [organization(), organization()];
  await set(owner, 'llm', { params: { base_url: vendor_url } });
  seen.length = 0;
  assert.deepEqual(await list(other), []);
  assert.equal((await testProvider(other, 'llm', { provider: 'openai-compatible' })).status, 404);
  assert.equal((await activate(other, 'llm', 'openai-compatible')).status, 404);
  assert.equal((await other.request('DELETE', '/v1/providers/llm/openai-compatible')).status, 404);
  assert.equal((await list(owner)).length, 1);
  assert.deepEqual(seen, []);
});

test('in managed mode a base_url must be public and https, and no request is sent before that check', async () => {
  const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
  const { client } = await managedOrganization(managed);
  seen.length = 0;
  for (const base_url of [
    vendor_url,
    'https://127.0.0.1/v1',
    'http://example.com',
    'ftp://x',
    'https://u:p@example.com',
    7,
  ]) {
    const response = await set(client, 'llm', { params: { base_url } });
    assert.deepEqual([response.status, response.body.code], [422, 'target_not_allowed'], String(base_url));
  }
  assert.deepEqual(seen, []);
});
