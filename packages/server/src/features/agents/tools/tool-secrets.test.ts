// Secrets of tools, MCP servers and relays stay in their sealed columns, and an organization has a limited number of tools.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { McpServer } from '@parley/contract/agents/mcp-servers';
import type { ToolWithSecret } from '@parley/contract/agents/tools';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, people, place } from '../../../../testing/calls.ts';
import { ok } from '../../../../testing/conversations.ts';
import { mcpStandIn } from '../../../../testing/mcp-stand-in.ts';
import { type ScriptStep, scriptedModel } from '../../../../testing/scripted-model.ts';
import { jsonAnswer, toolServer } from '../../../../testing/tool-server.ts';
import { sealer } from '../../../platform/crypto.ts';
import { rewrapSealed } from '../../../platform/db/rewrap.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeLog } from '../../../platform/log.ts';
import { sealed_columns } from '../../../start/sealed-columns.ts';

const logged: string[] = [];
const old_key = { id: 'old', key: randomBytes(32) };
const { client, db } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  {
    speech: () => codedSpeech(),
    log: makeLog({
      level: 'trace',
      show_personal_data: true,
      destination: { write: (line: string) => void logged.push(line) },
    }),
    master_keys: [old_key],
  },
);

const secrets = {
  tool_header: 'tool-header-value-1',
  mcp_token: 'mcp-token-value-2',
  relay: 'relay-secret-value-3',
  call_relay: 'call-relay-secret-4',
};
const parameters = { type: 'object', properties: {}, required: [] };
const model = await scriptedModel([]);
const useModel = (script: readonly ScriptStep[]) => void model.left.splice(0, model.left.length, ...script);

test('secrets are in no answer, event, plan, timeline, error, metric or log, even if an endpoint repeats them', async () => {
  const server = await toolServer();
  server.answer('/refuse', (response, { headers }) =>
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`You sent ${headers['x-key']}.`),
  );
  server.answer('/echo', (response, { headers }) => jsonAnswer({ result: headers })(response, null!));
  const crm = await mcpStandIn({ token: secrets.mcp_token });
  crm.state.tools = [{ name: 'whoami', description: 'Who asks.', inputSchema: { type: 'object' } }];
  crm.state.call = () => ({
    result: { resultType: 'complete', content: [{ type: 'text', text: `You are ${secrets.mcp_token}.` }] },
  });
  await ok(client, 'PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-model',
    params: { base_url: model.base_url, model: 'm' },
  });
  const add = (name: string) =>
    ok<ToolWithSecret>(client, 'POST', '/v1/tools', {
      name,
      description: 'Repeats what it got.',
      parameters,
      url: `${server.url}/${name}`,
      headers: { 'X-Key': secrets.tool_header },
      effect: 'read',
    });
  const [refuse, echo] = [await add('refuse'), await add('echo')];
  const mcp = await ok<McpServer>(client, 'POST', '/v1/mcp-servers', {
    name: 'crm',
    url: crm.url,
    headers: { Authorization: `Bearer ${secrets.mcp_token}` },
    allow: [{ name: 'whoami', effect: 'read' }],
  });
  useModel([
    { when: /./, calls: [{ name: 'refuse' }, { name: 'echo' }, { name: 'crm__whoami' }] },
    { when: /./, say: 'Goodbye.', calls: [{ name: 'end_call' }] },
  ]);
  const tools = [
    { type: 'tool', tool_id: refuse.id },
    { type: 'tool', tool_id: echo.id },
    { type: 'mcp', server_id: mcp.id },
    'end_call',
  ];
  const agent = await ok<Agent>(client, 'POST', '/v1/agents', { name: 'Desk', tools });
  const { id } = await place(client, people.converses, { agent_id: agent.id });
  await ended(client, id);
  // Nothing listens there, so the call fails with an error about the relay.
  const relay = { url: 'ws://127.0.0.1:9/relay', secret: secrets.relay };
  await ok(client, 'POST', '/v1/agents', { name: 'Relayed', engines: { relay } });
  const failed = await place(client, people.converses, {
    engines: { relay: { ...relay, secret: secrets.call_relay } },
  });
  await ended(client, failed.id);

  const paths = ['tools', 'mcp-servers', 'agents', 'calls', 'events?limit=100', 'tool-calls'];
  const reads = [...paths.map((path) => `/v1/${path}`), `/v1/calls/${id}/timeline`, '/v1/admin/audit-log'];
  const texts = await Promise.all(reads.map(async (path) => (await client.request('GET', path)).text));
  texts.push((await client.request('POST', `/v1/tools/${refuse.id}/test`, {})).text);
  texts.push((await client.request('POST', `/v1/tools/${echo.id}/test`, {})).text);
  texts.push((await client.request('GET', '/metrics')).text, JSON.stringify(model.requests), logged.join(''));
  assert.match(texts.join(), /You sent \[redacted\]/);
  assert.match(texts.join(), /You are \[redacted\]/);
  const tables = await db.rows<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`);
  for (const { name } of tables) {
    const rows = await db.rows<{ row: string }>(sql`select t::text as row from ${sql.raw(`"${name}"`)} t`);
    texts.push(rows.map(({ row }) => row).join());
  }
  for (const [name, secret] of Object.entries({
    ...secrets,
    signs: refuse.secret,
    signs_echo: echo.secret,
  })) {
    assert.ok(
      texts.every((text) => !text.includes(secret)),
      name,
    );
  }
});

test('a new master key re-encrypts the secrets of tools, MCP servers, agents and calls', async () => {
  const new_key = { id: 'new', key: randomBytes(32) };
  await ok(client, 'POST', `/v1/tools/${await firstTool()}/rotate-secret`);
  const columns = [
    ['tools', 'headers_sealed'],
    ['tools', 'secret_sealed'],
    ['tools', 'previous_secret_sealed'],
    ['mcp_servers', 'headers_sealed'],
    ['agents', 'relay_secret_sealed'],
    ['calls', 'llm_key_sealed'],
    ['calls', 'brain_key_sealed'],
    ['suspended_replies', 'state_sealed'],
  ] as const;
  const declared = sealed_columns.map(({ table, column }) => `${table}.${column}`);
  for (const [table, column] of columns)
    assert.ok(declared.includes(`${table}.${column}`), `${table}.${column}`);
  const sealed = async () =>
    Promise.all(
      columns.slice(0, -1).map(async ([table, column]) => {
        const rows = await db.rows<{ sealed: string }>(sql`
          select ${sql.raw(column)} as sealed from ${sql.raw(table)} where ${sql.raw(column)} is not null`);
        return rows.map((row) => row.sealed);
      }),
    );
  for (const values of await sealed())
    assert.ok(values.length > 0 && values.every((each) => each.startsWith('v1.old.')));
  await rewrapSealed(db, {
    sealer: sealer([new_key, old_key]),
    current_key_id: 'new',
    columns: sealed_columns,
  });
  for (const values of await sealed()) assert.ok(values.every((each) => each.startsWith('v1.new.')));
});

const firstTool = async () =>
  (await ok<{ items: { id: string }[] }>(client, 'GET', '/v1/tools')).items[0]!.id;

test('an organization has at most 200 tools and 20 MCP servers', async () => {
  // Copies of one row: two hundred requests would take seconds.
  await db.run(sql`
    insert into tools select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'name', 'copy_' || n))).*
      from tools t, generate_series((select count(*) from tools) + 1, 199) n where t.id = (select min(id::text)::uuid from tools)`);
  const addTool = (name: string) =>
    client.request<{ code: string }>('POST', '/v1/tools', {
      name,
      description: 'One more.',
      parameters,
      url: 'http://127.0.0.1:9/',
    });
  assert.equal((await addTool('the_200th')).status, 201);
  const tool = await addTool('the_201st');
  assert.deepEqual([tool.status, tool.body.code], [422, 'too_many_tools']);
  await db.run(sql`
    insert into mcp_servers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'name', 'copy_' || n))).*
      from mcp_servers t, generate_series((select count(*) from mcp_servers) + 1, 19) n`);
  const addServer = (name: string) =>
    client.request<{ code: string }>('POST', '/v1/mcp-servers', { name, url: 'http://127.0.0.1:9/mcp' });
  assert.equal((await addServer('the_20th')).status, 201);
  const server = await addServer('the_21st');
  assert.deepEqual([server.status, server.body.code], [422, 'too_many_tools']);
});
