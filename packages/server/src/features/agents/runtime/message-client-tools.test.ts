// Client tools of agents that answer texts: a program of the organization answers over the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCallRecord } from '@parley/contract/agents/tool-calls';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Conversation } from '@parley/contract/inbox/conversations';
import { startTestApp } from '../../../../testing/app.ts';
import { ok, type Page } from '../../../../testing/conversations.ts';
import { type ScriptStep, scriptedModel } from '../../../../testing/scripted-model.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const { app, client, organization, later } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const model = await scriptedModel([]);
const useModel = (script: readonly ScriptStep[]) => void model.left.splice(0, model.left.length, ...script);
await ok(client, 'PUT', '/v1/providers/llm', {
  provider: 'openai-compatible',
  api_key: 'sk-model',
  params: { base_url: model.base_url, model: 'm' },
});

const open_ticket = {
  type: 'client',
  name: 'open_ticket',
  description: 'Opens a ticket.',
  parameters: { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] },
};
async function desk(timeout_ms: number): Promise<string> {
  const number = await ok<{ id: string; e164: string }>(client, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  const agent = await ok<{ id: string }>(client, 'POST', '/v1/agents', {
    name: 'Desk',
    tools: [{ ...open_ticket, timeout_ms }],
    ai_disclosure: false,
  });
  await ok(client, 'PATCH', `/v1/numbers/${number.id}`, { sms_agent_id: agent.id });
  return number.e164;
}

type Requested = { id: string; message_id: string; tool_call_id: string; tool: string; arguments: unknown };
/** `answering` ends when the agent has answered. */
async function say(to: string, from: string, body: string) {
  const sms = await ok<Sms>(client, 'POST', '/v1/sandbox/inbound-sms', { from, to, body });
  const answering = later(4);
  const path = `/v1/events?type=conversation.tool_requested&resource_id=${sms.conversation_id}`;
  const asked = await waitFor('the tool was asked for', async () => {
    const { items } = await ok<Page<{ data: Requested }>>(client, 'GET', path);
    return items[0]?.data;
  });
  return { sms, asked, answering };
}
const replies = async (from: string) =>
  (await ok<Page<Sms>>(client, 'GET', '/v1/sms?direction=outbound&limit=100')).items
    .filter((sms) => sms.from === from)
    .map(({ body }) => body);
const answerAt = (id: string, body: object, of = client) =>
  of.request<{ code: string }>('POST', `/v1/conversations/${id}/tool-results`, body);

test('a program answers a client tool in a text, and the first answer wins', async () => {
  const own = await desk(60_000);
  useModel([
    { when: /cold/, calls: [{ name: 'open_ticket', arguments: { subject: 'Cold' } }] },
    { when: /T-17/, say: 'The number is T-17.' },
  ]);
  const { sms, asked, answering } = await say(own, '+14155554001', 'It is cold');
  assert.deepEqual(
    [asked.id, asked.message_id, asked.tool, asked.arguments],
    [sms.conversation_id, sms.id, 'open_ticket', { subject: 'Cold' }],
  );
  const { tool_call_id } = asked;
  assert.equal((await answerAt(asked.id, { tool_call_id, result: 1 }, organization())).status, 404);
  assert.equal((await answerAt(sms.id, { tool_call_id, result: 1 })).status, 404);
  // The conversation of the thread is another id for it.
  await app.projector.drain();
  const { items } = await ok<Page<Conversation>>(client, 'GET', '/v1/conversations');
  const first = await answerAt(items[0]!.id, { tool_call_id, result: { ticket: 'T-17' }, say: 'Done.' });
  assert.deepEqual([first.status, first.body], [200, { tool_call_id, status: 'accepted' }]);
  const second = await answerAt(asked.id, { tool_call_id, result: { ticket: 'T-18' } });
  assert.deepEqual([second.status, second.body.code], [409, 'tool_call_already_settled']);
  await answering;
  assert.deepEqual(await replies(own), ['Done.\nThe number is T-17.']);
});

test('an answer after the time limit is refused, and the agent went on without it', async () => {
  const own = await desk(2000);
  useModel([
    { when: /cold/, calls: [{ name: 'open_ticket', arguments: { subject: 'Cold' } }] },
    { when: /timeout/, say: 'I could not open a ticket.' },
  ]);
  const { asked, answering } = await say(own, '+14155554002', 'It is cold');
  await answering;
  assert.deepEqual(await replies(own), ['I could not open a ticket.']);
  const late = await answerAt(asked.id, { tool_call_id: asked.tool_call_id, result: 1 });
  assert.deepEqual([late.status, late.body.code], [409, 'tool_call_already_settled']);
  const path = `/v1/tool-calls?conversation_id=${asked.id}`;
  const { items } = await ok<Page<ToolCallRecord>>(client, 'GET', path);
  assert.deepEqual([items[0]!.status, items[0]!.error], ['failed', 'timeout']);
});
