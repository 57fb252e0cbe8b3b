// A call whose agent uses an MCP tool and an HTTP tool with variables of the call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { McpServer } from '@parley/contract/agents/mcp-servers';
import type { ToolCallRecord } from '@parley/contract/agents/tool-calls';
import type { ToolWithSecret } from '@parley/contract/agents/tools';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, people, place, said, timeline, transcript } from '../../../../testing/calls.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { mcpStandIn } from '../../../../testing/mcp-stand-in.ts';
import { scriptedModel } from '../../../../testing/scripted-model.ts';
import { isSigned, toolServer } from '../../../../testing/tool-server.ts';

const { organization } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);
const crm = await mcpStandIn({ token: 'crm-secret-token' });
const endpoint = await toolServer();
const model = await scriptedModel([
  { when: /./, calls: [{ name: 'crm__get_order', arguments: { id: '7' } }] },
  { when: /shipped/, calls: [{ name: 'note', arguments: { text: 'asked for 7' } }] },
  { when: /ok/, say: 'It was shipped. Goodbye.', calls: [{ name: 'end_call' }] },
]);

async function created<T>(own: Client, path: string, body: object): Promise<T> {
  const response = await own.request<T>('POST', path, body);
  assert.equal(response.status, 201, response.text);
  return response.body;
}

test('the tools get their arguments, fixed values and credentials; the records show no secret', async () => {
  const own = organization();
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
  crm.state.tools = [{ name: 'get_order', description: 'Reads an order.', inputSchema }];
  crm.state.call = () => ({
    result: { resultType: 'complete', content: [{ type: 'text', text: 'shipped' }] },
  });
  const server = await created<McpServer>(own, '/v1/mcp-servers', {
    name: 'crm',
    url: crm.url,
    headers: { Authorization: 'Bearer crm-secret-token' },
    allow: [{ name: 'get_order', effect: 'read' }],
  });
  const tool = await created<ToolWithSecret>(own, '/v1/tools', {
    name: 'note',
    description: 'Stores a note.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    fixed: { caller: '{{person}}', customer: '{{customer}}', call: '{{call_id}}' },
    url: `${endpoint.url}/note`,
    headers: { 'X-Key': 'header-secret-value' },
  });
  const agent = await created<Agent>(own, '/v1/agents', {
    name: 'Desk',
    tools: ['end_call', { type: 'mcp', server_id: server.id }, { type: 'tool', tool_id: tool.id }],
  });
  const params = { base_url: model.base_url, model: 'm' };
  await own.request('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-model',
    params,
  });
  crm.requests.length = 0;
  const variables = { customer: 'Ms Lee' };
  const { id } = await place(own, people.converses, { agent_id: agent.id, variables });
  const call = await ended(own, id);
  const entries = await timeline(own, id);
  assert.equal(call.end_reason, 'agent_hangup', JSON.stringify([entries, model.unexpected]));
  assert.match(said(await transcript(own, id), 'agent'), /It was shipped\./);

  assert.deepEqual(
    crm.requests.map(({ rpc }) => rpc.method),
    ['tools/call'],
    'nothing is asked before the call of the tool',
  );
  assert.equal(crm.requests[0]!.headers.authorization, 'Bearer crm-secret-token');
  const [request] = endpoint.at('/note');
  const { arguments: input, channel, call_id, agent_id, person } = request!.body;
  assert.deepEqual(input, { text: 'asked for 7', caller: people.converses, customer: 'Ms Lee', call: id });
  assert.deepEqual([channel, call_id, agent_id, person], ['call', id, agent.id, people.converses]);
  assert.ok(isSigned(request!, tool.secret));

  const offered = model.requests[0]!.tools!.map(({ function: { name } }) => name);
  assert.ok(offered.includes('crm__get_order') && offered.includes('note'), offered.join());
  const records = await own.request<{ items: ToolCallRecord[] }>('GET', `/v1/tool-calls?call_id=${id}`);
  const kinds = records.body.items.map(({ name, kind, status }) => [name, kind, status]).reverse();
  assert.deepEqual(kinds.slice(0, 2), [
    ['crm__get_order', 'mcp', 'done'],
    ['note', 'http', 'done'],
  ]);
  const visible = JSON.stringify([
    records.body,
    entries,
    model.requests,
    await own.request('GET', `/v1/calls/${id}`),
  ]);
  assert.doesNotMatch(visible, /crm-secret-token|header-secret-value|whsec_/);
});
