// The shared key can be changed without a moment in which clients are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { readConfig } from '../../../../config/config.ts';

test('during a rotation both keys work, and the audit log shows which one was used', async () => {
  const { client, holder } = await startTestApp({ PARLEY_SHARED_KEY_PREVIOUS: 'the-key-of-last-year' });
  const former = holder('the-key-of-last-year');
  const setProvider = (as: typeof client, api_key: string) =>
    as.request('PUT', '/v1/providers/llm', {
      provider: 'openai-compatible',
      api_key,
      params: { base_url: 'http://127.0.0.1:1' },
    });
  for (const as of [client, former]) {
    const set = await setProvider(as, 'a-key-of-the-model');
    assert.equal(set.status, 200, set.text);
  }
  const log = await client.request<{ items: { credential_id: string }[] }>('GET', '/v1/admin/audit-log');
  assert.deepEqual(
    log.body.items.map((entry) => entry.credential_id),
    ['shared_key:previous', 'shared_key'],
  );
  assert.equal((await holder('another-key').request('GET', '/v1/whoami')).status, 401);
  assert.deepEqual(
    (await former.request('GET', '/v1/whoami')).body,
    (await client.request('GET', '/v1/whoami')).body,
  );
});

test('the operator key is a person of its own, and never equals the shared key', async () => {
  const { operator, client } = await startTestApp();
  const me = await operator.request('GET', '/v1/whoami');
  assert.deepEqual(
    [me.status, me.body.auth_kind, me.body.organization_id, me.body.superadmin],
    [200, 'operator_key', client.organization_id, true],
  );
  const both = { PARLEY_SHARED_KEY: 'one-key', PARLEY_OPERATOR_KEY: 'one-key' };
  assert.throws(() => readConfig(both, '.'), /PARLEY_OPERATOR_KEY: it must differ from the shared key/);
});
