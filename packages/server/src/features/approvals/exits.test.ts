// Exits: requests that let data leave by another way than a message are refused, or wait for a person, as the policy says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Approval } from '@parley/contract/approvals';
import { startTestApp } from '../../../testing/app.ts';
import { toolServer } from '../../../testing/tool-server.ts';

const app = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const { client, operator } = app;
const server = await toolServer();

const setPolicy = async (rules: object[]) => {
  const set = await operator.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(set.status, 200, set.text);
};
type Answer = { code?: string; id?: string; fix?: string; detail?: string };
const send = (method: string, path: string, body?: object, as = client) =>
  as.request<Answer>(method, path, body);
const waiting = async () =>
  (await client.request<{ items: Approval[] }>('GET', '/v1/approvals?status=pending')).body.items;
const approve = async ({ id, payload_sha256 }: Approval) => {
  const answer = await operator.request('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
  assert.equal(answer.status, 200, answer.text);
};

const webhook = (path = 'events') => ({ target_url: `${server.url}/${path}`, event_types: ['sms.received'] });
const tool = (more: object = {}) => ({
  name: 'lookup',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: {} },
  url: `${server.url}/lookup`,
  headers: { 'X-Key': 'top-secret-value' },
  ...more,
});
const provider = {
  provider: 'openai-compatible',
  api_key: 'sk-very-secret',
  params: { base_url: `${server.url}/v1`, model: 'small' },
};
const requests: [string, string, string, object][] = [
  ['webhooks', 'POST', '/v1/webhooks', webhook()],
  ['tools', 'POST', '/v1/tools', tool()],
  ['mcp_servers', 'POST', '/v1/mcp-servers', { name: 'crm', url: `${server.url}/mcp` }],
  ['providers', 'PUT', '/v1/providers/llm', provider],
  [
    'providers',
    'POST',
    '/v1/agents',
    { name: 'Desk', engines: { relay: { url: 'wss://relay.example.com/x' } } },
  ],
];

test('S15: a policy without channels covers every exit, and each channel can be refused alone', async () => {
  await setPolicy([{ name: 'All', when: ['always'], then: 'refuse' }]);
  for (const [channel, method, path, body] of requests) {
    const answer = await send(method, path, body);
    assert.deepEqual([answer.status, answer.body.code], [403, 'not_allowed_by_policy'], channel);
  }
  for (const channel of ['webhooks', 'tools', 'mcp_servers', 'providers']) {
    await setPolicy([{ name: 'One', channels: [channel], when: ['always'], then: 'refuse' }]);
    for (const [of, method, path, body] of requests) {
      if (of !== channel) continue;
      const answer = await send(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [403, 'not_allowed_by_policy'], path);
    }
  }
  assert.equal(server.requests.length, 0, 'nothing left');
});

test('S15: what is held changes nothing, is shown without secrets, and is carried out once after the approval', async () => {
  await setPolicy([{ name: 'Strangers', when: ['not_vouched'], then: 'hold' }]);
  for (const [channel, method, path, body] of requests.slice(0, 2)) {
    const held = await send(method, path, body);
    assert.deepEqual([held.status, held.body.code], [409, 'held'], held.text);
    const again = await send(method, path, body);
    const pending = await waiting();
    assert.equal(pending.length, 1, 'the same request is asked for once');
    const [approval] = pending as [Approval];
    assert.match(again.body.detail!, new RegExp(approval.id));
    assert.deepEqual([approval.object.noun, approval.shown.to], ['configuration', ['127.0.0.1']]);
    assert.doesNotMatch(JSON.stringify(approval), /secret-value|very-secret/);
    await approve(approval);
    const other = {
      ...body,
      ...(channel === 'tools' ? { headers: { 'X-Key': 'another' } } : webhook('other')),
    };
    assert.equal((await send(method, path, other)).status, 409, 'another content needs another approval');
    const invalid = await send(method, path, { ...body, nothing: 1 });
    assert.equal(invalid.status, 422);
    const done = await send(method, path, body);
    assert.equal(done.status, 201, done.text);
    assert.equal((await send(method, path, { ...body, name: 'lookup_2' })).status === 201, false);
    for (const each of await waiting()) await operator.request('POST', `/v1/approvals/${each.id}/reject`, {});
  }
});

test('S15: a change of the address and a test of a tool are exits, too; pausing a webhook is not; a person may always', async () => {
  await setPolicy([]);
  const made = await send('POST', '/v1/webhooks', webhook('mine'), operator);
  assert.equal(made.status, 201, made.text);
  const own = await send('POST', '/v1/tools', tool({ name: 'own' }), operator);
  assert.equal(own.status, 201, own.text);
  await setPolicy([{ name: 'All', when: ['always'], then: 'hold' }]);
  const path = `/v1/webhooks/${made.body.id}`;
  assert.equal((await send('PATCH', path, { target_url: `${server.url}/drop` })).status, 409);
  assert.equal((await send('PATCH', path, { event_types: ['email.received'] })).status, 409);
  assert.equal((await send('PATCH', path, { status: 'disabled' })).status, 200);
  assert.equal(
    (await send('POST', `/v1/tools/${own.body.id}/test`, { arguments: { words: 'secret' } })).status,
    409,
  );
  assert.equal(server.requests.length, 0);
  assert.equal((await send('POST', '/v1/webhooks', webhook('by-person'), operator)).status, 201);
});

test('S15: an approval for an exit that failed stays valid, and ends after a day', async () => {
  await setPolicy([{ name: 'All', when: ['always'], then: 'hold' }]);
  const body = tool({ name: 'own' });
  assert.equal((await send('POST', '/v1/tools', body)).status, 409);
  const asked = (await waiting()).find(
    ({ shown }) => JSON.stringify(shown.more).includes('"own"') && shown.subject?.includes('tools.create'),
  )!;
  await approve(asked);
  const taken = await send('POST', '/v1/tools', body);
  assert.deepEqual([taken.status, taken.body.code === 'held'], [409, false], 'the name is taken');
  const again = await send('POST', '/v1/tools', body);
  assert.equal(again.body.code, taken.body.code, 'the approval was not used up');
  await app.later(86_400 + 60);
  assert.equal((await send('POST', '/v1/tools', body)).body.code, 'held');
});
