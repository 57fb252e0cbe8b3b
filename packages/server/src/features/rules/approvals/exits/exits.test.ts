// Exits: requests that let data leave by another way than a message are refused, or wait for a person, as the policy says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { exits } from '@parley/contract/rules/exits';
import { startTestApp } from '../../../../../testing/app.ts';
import { mcpStandIn } from '../../../../../testing/mcp-stand-in.ts';
import { toolServer } from '../../../../../testing/tool-server.ts';

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

const mcp = await mcpStandIn();
const relay = (path: string) => ({
  engines: {
    relay: { url: `wss://relay.example.com/${path}`, secret: `relay-secret-value-${'0'.repeat(20)}` },
  },
});

test('S15: every exit is held, changes nothing until a person approves, and is carried out once', async () => {
  await setPolicy([]);
  const ids = {
    webhook: (await send('POST', '/v1/webhooks', webhook('before'), operator)).body.id,
    tool: (await send('POST', '/v1/tools', tool({ name: 'before' }), operator)).body.id,
    mcp: (await send('POST', '/v1/mcp-servers', { name: 'before', url: mcp.url }, operator)).body.id,
    agent: (await send('POST', '/v1/agents', { name: 'Before' }, operator)).body.id,
  };
  assert.equal((await send('PUT', '/v1/providers/llm', provider, operator)).status, 200);
  await setPolicy([{ name: 'All', when: ['always'], then: 'hold' }]);
  const call = { to: '+15005550201', recipient_consent: true };
  const every: Record<string, [method: string, path: string, body: object]> = {
    'webhooks.create': ['POST', '/v1/webhooks', webhook('held')],
    'webhooks.update': ['PATCH', `/v1/webhooks/${ids.webhook}`, { target_url: `${server.url}/held` }],
    'tools.create': ['POST', '/v1/tools', tool({ name: 'held' })],
    'tools.update': ['PATCH', `/v1/tools/${ids.tool}`, { url: `${server.url}/held` }],
    'tools.test': ['POST', `/v1/tools/${ids.tool}/test`, { arguments: { words: 'private' } }],
    'mcp_servers.create': ['POST', '/v1/mcp-servers', { name: 'held', url: mcp.url }],
    'mcp_servers.update': ['PATCH', `/v1/mcp-servers/${ids.mcp}`, { url: `${mcp.url}?held` }],
    'providers.set': ['PUT', '/v1/providers/llm', { ...provider, api_key: 'sk-another' }],
    'providers.activate': ['POST', '/v1/providers/llm/activate', { provider: 'openai-compatible' }],
    'providers.test': ['POST', '/v1/providers/llm/test', { provider: 'openai-compatible' }],
    'agents.create': ['POST', '/v1/agents', { name: 'Held', ...relay('held') }],
    'agents.update': ['PATCH', `/v1/agents/${ids.agent}`, relay('held')],
    'calls.create': ['POST', '/v1/calls', { ...call, ...relay('held') }],
  };
  assert.deepEqual(Object.keys(every).sort(), Object.keys(exits).sort(), 'every exit has a case');
  const state = async () => {
    const lists = ['webhooks', 'tools', 'mcp-servers', 'providers', 'agents', 'calls'];
    const answers = await Promise.all(lists.map((list) => send('GET', `/v1/${list}`, undefined, operator)));
    return answers.map(({ body }) => body);
  };
  for (const [operation, [method, path, body]] of Object.entries(every)) {
    const before = { state: await state(), requests: server.requests.length + mcp.requests.length };
    const held = await send(method, path, body);
    assert.deepEqual([held.status, held.body.code], [409, 'held'], `${operation}: ${held.text}`);
    assert.deepEqual(await state(), before.state, operation);
    assert.equal(server.requests.length + mcp.requests.length, before.requests, operation);
    const approval = (await waiting()).find(({ id }) => held.body.detail!.includes(id))!;
    assert.match(approval.shown.subject!, new RegExp(`^${operation}:`));
    assert.doesNotMatch(JSON.stringify(approval), /secret-value|very-secret|sk-another/, operation);
    await approve(approval);
    const done = await send(method, path, body);
    // A call waits as a call, too: its own approval is another one.
    assert.ok([200, 201].includes(done.status), `${operation}: ${done.text}`);
    const again = await send(method, path, body);
    assert.deepEqual([again.status, again.body.code], [409, 'held'], `${operation} once`);
    for (const each of await waiting()) await operator.request('POST', `/v1/approvals/${each.id}/reject`, {});
  }
});

test('S15: an exit that was rejected is asked for again', async () => {
  await setPolicy([{ name: 'All', when: ['always'], then: 'hold' }]);
  const body = { name: 'rejected', url: mcp.url };
  const held = await send('POST', '/v1/mcp-servers', body);
  const first = (await waiting()).find(({ id }) => held.body.detail!.includes(id))!;
  await operator.request('POST', `/v1/approvals/${first.id}/reject`, {});
  const again = await send('POST', '/v1/mcp-servers', body);
  assert.equal(again.body.code, 'held');
  assert.ok(!again.body.detail!.includes(first.id));
  await approve((await waiting()).find(({ id }) => again.body.detail!.includes(id))!);
  assert.equal((await send('POST', '/v1/mcp-servers', body)).status, 201);
});

/** Fields with an address to which nothing is sent. */
const no_exits = ['consents.create source.url'];

test('S15: an operation that takes an address is an exit, and the guide names every exit', async () => {
  const document = (await client.request<OpenApi>('GET', '/openapi.json')).body;
  const fields = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return [...addressFields(document, schema)].map((field) => `${operationId} ${field}`);
    });
  assert.ok(fields.includes('webhooks.create target_url'));
  const open = fields.filter((field) => !(field.split(' ')[0]! in exits) && !no_exits.includes(field));
  assert.deepEqual(open, []);
  const guide = readFileSync('docs/guides/guard-rails.md', 'utf8');
  for (const operation of Object.keys(exits)) assert.ok(guide.includes(`\`${operation}\``), operation);
  const bulk = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => /export|download_all|dump/.test(operationId));
  assert.deepEqual(bulk, [], 'the guide says that nothing exports in bulk');
});

type Schema = { $ref?: string; properties?: Record<string, Schema>; items?: Schema } & Partial<
  Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>
>;
type OpenApi = {
  paths: Record<
    string,
    Record<string, { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> } }>
  >;
  components: { schemas: Record<string, Schema> };
};

function* addressFields(
  document: OpenApi,
  schema: Schema | undefined,
  path = '',
  depth = 0,
): Iterable<string> {
  if (!schema || depth > 12) return;
  const into = (next: Schema, at: string) => addressFields(document, next, at, depth + 1);
  if (schema.$ref) yield* into(document.components.schemas[schema.$ref.split('/').at(-1)!]!, path);
  for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    yield* into(each, path);
  if (schema.items) yield* into(schema.items, path);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path ? `${path}.${name}` : name;
    if (/(?:^|_)ur[il]$/.test(name)) yield at;
    yield* into(field, at);
  }
}
