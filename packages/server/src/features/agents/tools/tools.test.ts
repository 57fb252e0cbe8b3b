// Tools over HTTP: the record with its secrets, and the one signed request that a call of a tool makes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { Tool, ToolTestResult, ToolWithSecret } from '@parley/contract/agents/tools';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { isSigned, jsonAnswer, toolServer } from '../../../../testing/tool-server.ts';
import { sql } from '../../../platform/db/sql.ts';

const { organization, db, later } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const server = await toolServer();

type Problem = { code: string; errors: { path: string }[] };

const parameters = {
  type: 'object',
  properties: { day: { type: 'string', format: 'date' } },
  required: ['day'],
};
let count = 0;
const fields = (more: object = {}) => ({
  name: `tool_${++count}`,
  description: 'Free slots on a day.',
  parameters,
  url: `${server.url}/slots`,
  ...more,
});

async function add(own: Client, more: object = {}): Promise<ToolWithSecret> {
  const created = await own.request<ToolWithSecret>('POST', '/v1/tools', fields(more));
  assert.equal(created.status, 201, created.text);
  return created.body;
}
const call = async (own: Client, { id }: Tool, body: object = { arguments: { day: '2026-11-18' } }) => {
  const response = await own.request<ToolTestResult>('POST', `/v1/tools/${id}/test`, body);
  assert.equal(response.status, 200, response.text);
  return response.body;
};

test('a tool has defaults, shows the names of its headers only, and its secret once', async () => {
  const own = organization();
  const { secret, ...tool } = await add(own, {
    name: 'check_slots',
    headers: { 'X-Key': 'top-secret-value' },
  });
  assert.match(secret, /^whsec_/);
  const { id, created_at, updated_at, ...rest } = tool;
  assert.deepEqual(rest, {
    organization_id: own.organization_id,
    type: 'http',
    name: 'check_slots',
    description: 'Free slots on a day.',
    parameters,
    fixed: {},
    url: `${server.url}/slots`,
    header_names: ['X-Key'],
    effect: 'act',
    timeout_ms: 8000,
    speech: null,
    redact: [],
    approval: 'none',
    previous_secret_expires_at: null,
  });
  assert.deepEqual((await own.request('GET', `/v1/tools/${id}`)).body, tool);
  const page = await own.request<{ items: Tool[] }>('GET', '/v1/tools');
  assert.deepEqual(page.body.items, [tool]);
  const rows = await db.rows<{ row: string }>(
    sql`select tools::text as row from tools where organization_id = ${own.organization_id} and id = ${id}`,
  );
  assert.equal(rows.length, 1);
  assert.doesNotMatch(rows[0]!.row, /top-secret-value|whsec_/);
});

test('one request is made, with both signatures, the idempotency key, own headers and fixed arguments', async () => {
  const own = organization();
  const tool = await add(own, {
    url: `${server.url}/signed`,
    headers: { 'X-Key': 'abc' },
    fixed: { practice_id: 'p-17', caller: '{{customer|nobody}}', day: '2027-01-01' },
  });
  server.answer('/signed', jsonAnswer({ result: ['09:00'], say: 'Nine is free.', instruct: 'Offer nine.' }));
  const result = await call(own, tool, { arguments: { day: '2026-11-18' }, variables: { customer: 'Ana' } });
  assert.deepEqual(
    { ...result, duration_ms: 0 },
    {
      outcome: 'done',
      content: '["09:00"]',
      say: 'Nine is free.',
      instruct: 'Offer nine.',
      error: null,
      detail: null,
      duration_ms: 0,
    },
  );
  const requests = server.at('/signed');
  assert.equal(requests.length, 1);
  const [{ headers, body }] = requests as [(typeof requests)[0]];
  // What the organization fixed goes before what the model wrote.
  assert.deepEqual(body.arguments, { day: '2027-01-01', practice_id: 'p-17', caller: 'Ana' });
  assert.deepEqual(
    [body.type, body.tool, body.organization_id],
    ['tool.call', tool.name, own.organization_id],
  );
  assert.deepEqual([body.is_test, body.deadline_ms, body.channel], [true, 8000, null]);
  assert.equal(headers['x-key'], 'abc');
  assert.equal(headers['idempotency-key'], body.id);
  assert.equal(headers['webhook-id'], body.id);
  assert.equal(headers['x-service-event'], 'tool.call');
  assert.ok(isSigned(requests[0]!, tool.secret));
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60);
});

const answers: [string, (response: import('node:http').ServerResponse) => void, Partial<ToolTestResult>][] = [
  ['204', (response) => response.writeHead(204).end(), { outcome: 'done', content: 'done' }],
  [
    'plain text',
    (response) =>
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('free \u0000at nine'),
    { outcome: 'done', content: 'free at nine' },
  ],
  [
    'any other JSON',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"slots": [1]}'),
    { outcome: 'done', content: '{"slots":[1]}', say: null },
  ],
  [
    'HTML',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    { outcome: 'failed', error: 'invalid_result' },
  ],
  [
    'broken JSON',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    { outcome: 'failed', error: 'invalid_result' },
  ],
  [
    'more than 64 KiB',
    (response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.alloc(64 * 1024 + 1, 'x')),
    { outcome: 'failed', error: 'invalid_result' },
  ],
  [
    'an error status',
    (response) => response.writeHead(409).end('already booked'),
    { outcome: 'failed', error: 'refused', detail: 'The endpoint answered 409: already booked' },
  ],
  ['a closed connection', (response) => response.destroy(), { outcome: 'failed', error: 'unreachable' }],
];
for (const [index, [name, answer, expected]] of answers.entries()) {
  test(`an endpoint that answers with ${name} gives ${expected.error ?? 'a result'}, after one attempt`, async () => {
    const own = organization();
    const path = `/answer/${index}`;
    server.answer(path, answer);
    const tool = await add(own, { url: server.url + path });
    const result = await call(own, tool);
    for (const [field, value] of Object.entries(expected))
      assert.equal(result[field as keyof ToolTestResult], value, field);
    assert.equal(server.at(path).length, 1);
  });
}

test('a long result is cut for the model, and what is spoken or noted has its own limit', async () => {
  const own = organization();
  const x = (length: number) => 'x'.repeat(length);
  server.answer('/long', jsonAnswer({ result: x(9000), say: x(600), instruct: x(3000) }));
  const result = await call(own, await add(own, { url: `${server.url}/long` }));
  assert.equal(result.content!.length, 8000);
  assert.match(result.content!, /…\(cut\)$/);
  assert.deepEqual([result.say!.length, result.instruct!.length], [500, 2000]);
});

test('a redirect is not followed', async () => {
  const own = organization();
  server.answer('/moved', (response) =>
    response.writeHead(302, { location: `${server.url}/elsewhere` }).end(),
  );
  const result = await call(own, await add(own, { url: `${server.url}/moved` }));
  assert.equal(result.error, 'refused');
  assert.equal(server.at('/elsewhere').length, 0);
});

test('an endpoint that does not answer fails with timeout', async () => {
  const own = organization();
  server.answer('/hangs', () => {});
  const tool = await add(own, { url: `${server.url}/hangs`, timeout_ms: 1000 });
  assert.equal((await call(own, tool)).error, 'timeout');
});

test('arguments that do not fit the schema are never sent; the failure names each path', async () => {
  const own = organization();
  const tool = await add(own, { url: `${server.url}/never` });
  const result = await call(own, tool, { arguments: { day: 'tomorrow', more: 1 } });
  assert.equal(result.error, 'invalid_arguments');
  assert.match(result.detail!, /day: .*more: /);
  assert.equal(server.at('/never').length, 0);
});

test('a test without the value of a variable is refused', async () => {
  const own = organization();
  const tool = await add(own, { fixed: { who: '{{customer}}', at: '{{now}}' } });
  const response = await own.request<Problem>('POST', `/v1/tools/${tool.id}/test`, {
    arguments: { day: '2026-11-18' },
  });
  assert.deepEqual([response.status, response.body.code], [422, 'variable_missing']);
  assert.deepEqual(
    response.body.errors.map(({ path }) => path),
    ['tool.fixed.who'],
  );
});

test('after a rotation both secrets sign for a day', async () => {
  const own = organization();
  const tool = await add(own, { url: `${server.url}/rotated` });
  const rotated = await own.request<ToolWithSecret>('POST', `/v1/tools/${tool.id}/rotate-secret`);
  assert.equal(rotated.status, 200, rotated.text);
  assert.notEqual(rotated.body.secret, tool.secret);
  assert.notEqual(rotated.body.previous_secret_expires_at, null);
  const signed = async (secret: string) => {
    await call(own, tool);
    return isSigned(server.at('/rotated').at(-1)!, secret);
  };
  assert.deepEqual([await signed(tool.secret), await signed(rotated.body.secret)], [true, true]);
  await later(86_401);
  assert.deepEqual([await signed(tool.secret), await signed(rotated.body.secret)], [false, true]);
});

test('headers stay with their origin: another origin removes them unless new ones are sent', async () => {
  const own = organization();
  const tool = await add(own, { headers: { 'X-Key': 'abc' } });
  const change = async (body: object) => {
    const response = await own.request<Tool>('PATCH', `/v1/tools/${tool.id}`, body);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  assert.deepEqual((await change({ url: `${server.url}/other`, effect: 'read' })).header_names, ['X-Key']);
  assert.deepEqual((await change({ url: 'https://other.example.com/' })).header_names, []);
  const renamed = await change({ headers: { 'X-Other': 'x' }, name: 'other_name', speech: { start: 'Hm.' } });
  assert.deepEqual(renamed.header_names, ['X-Other']);
  assert.deepEqual(renamed.speech, { start: 'Hm.', slow_after_ms: 2500, slow: [], failed: null });
  assert.equal(renamed.effect, 'read');
});

const refusals: [string, object, string, string[]][] = [
  ['a built-in name', { name: 'end_call' }, 'validation_failed', ['body.name']],
  ['a header of the service', { headers: { Host: 'x' } }, 'validation_failed', ['body.headers.Host']],
  [
    'a header that sets the content',
    { headers: { 'Content-Type': 'x' } },
    'validation_failed',
    ['body.headers.Content-Type'],
  ],
  ['a header with a line break', { headers: { 'X-A': 'a\r\nb' } }, 'validation_failed', ['body.headers.X-A']],
  [
    'eleven headers',
    { headers: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, 'x'])) },
    'validation_failed',
    ['body.headers'],
  ],
  ['an address that is not allowed', { url: 'http://10.0.0.1/' }, 'target_not_allowed', ['body.url']],
  ['a URL with a password', { url: 'https://a:b@example.com/' }, 'validation_failed', ['body.url']],
  [
    'a schema with $ref',
    { parameters: { type: 'object', properties: { a: { type: 'string', $ref: '#' } } } },
    'schema_not_supported',
    ['body.parameters.properties.a.$ref'],
  ],
  ['a timeout of half a second', { timeout_ms: 500 }, 'validation_failed', ['body.timeout_ms']],
];
for (const [name, more, code, paths] of refusals) {
  test(`a tool with ${name} is refused`, async () => {
    const response = await organization().request<Problem>('POST', '/v1/tools', fields(more));
    assert.equal(response.status, 422, response.text);
    assert.equal(response.body.code, code);
    assert.deepEqual(
      response.body.errors.map(({ path }) => path),
      paths,
    );
  });
}

test('names are unique in an organization', async () => {
  const own = organization();
  const [first, second] = [await add(own), await add(own)];
  await add(organization(), { name: first.name });
  const again = await own.request<Problem>('POST', '/v1/tools', fields({ name: first.name }));
  assert.deepEqual([again.status, again.body.code], [409, 'tool_name_taken']);
  const renamed = await own.request<Problem>('PATCH', `/v1/tools/${second.id}`, { name: first.name });
  assert.deepEqual([renamed.status, renamed.body.code], [409, 'tool_name_taken']);
});

test('every change of a tool is in the audit log, without its secrets', async () => {
  const own = organization({ superadmin: true });
  const tool = await add(own, { headers: { 'X-Key': 'top-secret-value' } });
  await own.request('PATCH', `/v1/tools/${tool.id}`, { timeout_ms: 2000 });
  await own.request('POST', `/v1/tools/${tool.id}/rotate-secret`);
  assert.equal((await own.request('DELETE', `/v1/tools/${tool.id}`)).status, 204);
  assert.equal((await own.request('GET', `/v1/tools/${tool.id}`)).status, 404);
  const log = await own.request<{ items: { action: string; object_id: string }[] }>(
    'GET',
    '/v1/admin/audit-log?limit=200',
  );
  assert.equal(log.status, 200, log.text);
  const actions = log.body.items.filter(({ object_id }) => object_id === tool.id).map(({ action }) => action);
  assert.deepEqual(actions.reverse(), [
    'tool.created',
    'tool.changed',
    'tool.secret_rotated',
    'tool.deleted',
  ]);
  assert.doesNotMatch(log.text, /top-secret-value|whsec_/);
});

test('an agent names tools that exist, each name once', async () => {
  const own = organization();
  const tool = await add(own);
  const entry = { type: 'tool', tool_id: tool.id };
  const agent = (tools: unknown[]) =>
    own.request<Agent & Problem>('POST', '/v1/agents', { name: 'Desk', tools });
  const good = await agent(['end_call', entry]);
  assert.deepEqual([good.status, good.body.tools], [201, [{ type: 'end_call' }, entry]]);
  const foreign = await agent([{ type: 'tool', tool_id: (await add(organization())).id }]);
  assert.deepEqual([foreign.status, foreign.body.code], [422, 'tool_not_found']);
  assert.deepEqual(
    foreign.body.errors.map(({ path }) => path),
    ['body.tools[0]'],
  );
  const client = { type: 'client', name: tool.name, description: 'x', parameters };
  const twice = await agent([entry, client]);
  assert.deepEqual(
    twice.body.errors.map(({ path }) => path),
    ['body.tools[1]'],
  );
});

test('the schemas of all tools of an agent are at most 64 KiB together', async () => {
  const own = organization();
  const description = 'x'.repeat(900);
  const properties = Object.fromEntries(
    Array.from({ length: 16 }, (_, n) => [`p${n}`, { type: 'string', description }]),
  );
  const tools = Array.from({ length: 5 }, (_, n) => ({
    type: 'client',
    name: `big_${n}`,
    description: 'x',
    parameters: { type: 'object', properties },
  }));
  const response = await own.request<Problem>('POST', '/v1/agents', { name: 'Desk', tools });
  assert.equal(response.status, 422, response.text);
  assert.deepEqual(
    response.body.errors.map(({ path }) => path),
    ['body.tools'],
  );
});

test('a call is refused when a text of a tool of its agent uses a variable without value', async () => {
  const own = organization();
  const tool = await add(own, { name: 'book', fixed: { who: '{{customer}}' } });
  const body = { name: 'Desk', tools: [{ type: 'tool', tool_id: tool.id }] };
  const agent = await own.request<Agent>('POST', '/v1/agents', body);
  const place = (more: object) =>
    own.request<Problem>('POST', '/v1/calls', {
      to: '+15005550201',
      recipient_consent: true,
      agent_id: agent.body.id,
      ...more,
    });
  const refused = await place({});
  assert.deepEqual([refused.status, refused.body.code], [422, 'variable_missing']);
  assert.deepEqual(
    refused.body.errors.map(({ path }) => path),
    ['tools.book.fixed.who'],
  );
  assert.equal((await place({ variables: { customer: 'Ana' } })).status, 201);
});
