// Many updates of agents at once need one database connection each, and none is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import { startTestApp } from '../../../../testing/app.ts';
import { openTestDatabase } from '../../../../testing/database.ts';
import { openDatabase } from '../../../platform/db/database.ts';

test('updates do not wait for connections that other updates hold', async (t) => {
  const { url, close } = await openTestDatabase();
  t.after(close);
  const db = openDatabase({ url, max_connections: 2, connect_timeout_ms: 5000 });
  const { client } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' }, { db });
  const provider = { provider: 'openai-compatible', params: { base_url: 'http://127.0.0.1:9/v1' } };
  const set = await client.request('PUT', '/v1/providers/llm', { api_key: 'never-used', ...provider });
  assert.equal(set.status, 200, set.text);
  const { body } = await client.request<Agent>('POST', '/v1/agents', { name: 'Desk' });
  const patch = (name: string) =>
    client.request<Agent>('PATCH', `/v1/agents/${body.id}`, {
      name,
      engines: { llm: { provider: 'openai-compatible' } },
    });
  const answers = await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map(patch));
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
    answers.find(({ status }) => status !== 200)?.text,
  );
  const versions = answers.map(({ body: agent }) => agent.version).sort();
  assert.deepEqual(versions, [2, 3, 4, 5, 6, 7]);
});
