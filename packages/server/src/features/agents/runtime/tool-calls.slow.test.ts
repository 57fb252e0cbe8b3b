// Agents that use tools on calls, over the API: records, texts with consent, client tools, and what outsiders can see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { ToolCallRecord } from '@parley/contract/agents/tool-calls';
import type { ToolWithSecret } from '@parley/contract/agents/tools';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  timeline,
  transcript,
} from '../../../../testing/calls.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { type ScriptStep, scriptedModel } from '../../../../testing/scripted-model.ts';
import { jsonAnswer, toolServer } from '../../../../testing/tool-server.ts';
import { sql } from '../../../platform/db/sql.ts';

const { organization, db, later } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);

async function withModel(script: readonly ScriptStep[]) {
  const model = await scriptedModel(script);
  const own = organization();
  const params = { base_url: model.base_url, model: 'm' };
  const set = await own.request('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-model',
    params,
  });
  assert.equal(set.status, 200, set.text);
  return { own, model };
}

const toolCalls = async (of: Client, query: string) => {
  const page = await of.request<{ items: ToolCallRecord[] }>('GET', `/v1/tool-calls?${query}`);
  assert.equal(page.status, 200, page.text);
  return page.body.items.reverse();
};
const texts = async (of: Client) =>
  (await of.request<{ items: Sms[] }>('GET', '/v1/sms?direction=outbound')).body.items;
const addAgent = async (of: Client, fields: object): Promise<Agent> => {
  const created = await of.request<Agent>('POST', '/v1/agents', { name: 'Desk', ...fields });
  assert.equal(created.status, 201, created.text);
  return created.body;
};

test('an agent looks something up, texts with quoted consent, and the records show it without secrets', async () => {
  const server = await toolServer();
  server.answer('/slots', jsonAnswer({ result: { free: ['10:00'] } }));
  const { own, model } = await withModel([
    { when: /./, calls: [{ name: 'check_slots', arguments: { day: '2026-11-18', card: '4111-1111' } }] },
    { when: /10:00/, say: 'At ten. Shall I send you a text with the appointment?' },
    {
      when: /./,
      calls: [
        {
          name: 'send_sms',
          arguments: { to: 'person', body: 'See you at ten.', consent_quote: 'of course I do' },
        },
      ],
    },
    { when: /not_allowed/, say: 'May I text you?' },
    {
      when: /./,
      calls: [{ name: 'send_sms', arguments: { to: 'person', body: 'See you at ten.', consent_quote: 'I' } }],
    },
  ]);
  const tool = await own.request<ToolWithSecret>('POST', '/v1/tools', {
    name: 'check_slots',
    description: 'Free slots.',
    parameters: {
      type: 'object',
      properties: { day: { type: 'string', format: 'date' }, card: { type: 'string' } },
      required: ['day'],
    },
    url: `${server.url}/slots`,
    headers: { 'X-Key': 'header-secret-value' },
    redact: ['card'],
    effect: 'read',
  });
  assert.equal(tool.status, 201, tool.text);
  const agent = await addAgent(own, {
    tools: [{ type: 'tool', tool_id: tool.body.id }, 'send_sms', 'end_call'],
    destinations: [{ name: 'office', phone: '+15005550201', recipient_consent: true }],
  });
  const { id } = await place(own, people.converses, { agent_id: agent.id });
  await eventually('the second text was asked for', async () => model.left.length === 0);
  await own.request('POST', `/v1/calls/${id}/cancel`);
  await ended(own, id);
  const records = await toolCalls(own, `call_id=${id}`);
  assert.deepEqual(
    records.slice(0, 2).map(({ name, kind, effect, status, error, arguments: input }) => ({
      name,
      kind,
      effect,
      status,
      error,
      input,
    })),
    [
      {
        name: 'check_slots',
        kind: 'http',
        effect: 'read',
        status: 'done',
        error: null,
        input: { day: '2026-11-18', card: '[redacted]' },
      },
      {
        name: 'send_sms',
        kind: 'built_in',
        effect: 'act',
        status: 'failed',
        error: 'not_allowed',
        input: { to: 'person', body: 'See you at ten.', consent_quote: 'of course I do' },
      },
    ],
  );
  assert.equal(records[0]!.result, '{"free":["10:00"]}');
  // The tool server got the real value, once, with the id of the record.
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0]!.body.arguments.card, '4111-1111');
  assert.equal(server.requests[0]!.headers['idempotency-key'], records[0]!.id);
  const kinds = (await timeline(own, id)).map(({ kind }) => kind);
  for (const kind of ['tool_called', 'tool_answered', 'tool_failed'] as const)
    assert.ok(kinds.includes(kind), kind);
  // The enum of recipients is all that the model can choose from.
  const offered = model.requests[0]!.tools!.find(({ function: { name } }) => name === 'send_sms')!;
  const { to } = offered.function.parameters.properties as { to: { enum: string[] } };
  assert.deepEqual(to.enum, ['person', 'office']);
  const shown = JSON.stringify([
    records,
    await timeline(own, id),
    await transcript(own, id),
    (await own.request('GET', '/v1/events?limit=200')).body,
    (await own.request('GET', '/v1/tools')).body,
  ]);
  for (const secret of ['4111-1111', 'header-secret-value', tool.body.secret, 'sk-model'])
    assert.ok(!shown.includes(secret), secret);
});

test('words that the person said allow a text, and it goes to the person with the words as evidence', async () => {
  const { own, model } = await withModel([
    { when: /./, say: 'May I send you a text?' },
    {
      when: /./,
      calls: [
        { name: 'send_sms', arguments: { to: 'person', body: 'Hello by text.', consent_quote: 'Yes' } },
      ],
    },
    { when: /sent/, say: 'It is sent. Goodbye.', calls: [{ name: 'end_call' }] },
  ]);
  const agent = await addAgent(own, { tools: ['send_sms', 'end_call'] });
  const { id } = await place(own, people.converses, { agent_id: agent.id });
  assert.equal((await ended(own, id)).end_reason, 'agent_hangup');
  assert.deepEqual(model.unexpected, []);
  const [text] = await texts(own);
  assert.equal(text?.to, people.converses);
  assert.equal(text?.body, 'Hello by text.');
  assert.deepEqual(
    [text?.metadata.agent_id, text?.metadata.call_id, text?.metadata.consent_quote],
    [agent.id, id, 'Yes'],
  );
});

test('a program answers a client tool over the API; the first answer wins', async () => {
  const { own, model } = await withModel([
    { when: /./, say: 'I open a ticket.', calls: [{ name: 'open_ticket', arguments: { subject: 'Cold' } }] },
    { when: /T-17/, say: 'Your ticket is open. Goodbye.', calls: [{ name: 'end_call' }] },
  ]);
  const client_tool = {
    type: 'client',
    name: 'open_ticket',
    description: 'Opens a ticket.',
    parameters: { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] },
    timeout_ms: 60_000,
  };
  const { id } = await place(own, people.converses, { tools: [client_tool, 'end_call'] });
  type Requested = { items: { data: { tool_call_id: string; tool: string; arguments: unknown } }[] };
  const asked = async () =>
    (await own.request<Requested>('GET', '/v1/events?type=call.tool_requested')).body.items[0]?.data;
  await eventually('the tool was asked for', async () => (await asked()) !== undefined);
  const { tool_call_id, tool, arguments: input } = (await asked())!;
  assert.deepEqual([tool, input], ['open_ticket', { subject: 'Cold' }]);
  const path = `/v1/calls/${id}/tool-results`;
  const both = await own.request('POST', path, { tool_call_id, result: 1, error: 'no' });
  assert.equal(both.status, 422);
  const other = await organization().request('POST', path, { tool_call_id, result: 1 });
  assert.equal(other.status, 404);
  const first = await own.request('POST', path, { tool_call_id, result: { ticket: 'T-17' } });
  assert.deepEqual([first.status, first.body], [200, { tool_call_id, status: 'accepted' }]);
  const second = await own.request('POST', path, { tool_call_id, error: 'too late' });
  assert.deepEqual([second.status, second.body.code], [409, 'tool_call_already_settled']);
  // After the goodbye either of the two hangs up first.
  assert.equal((await ended(own, id)).status, 'completed');
  const words = (await transcript(own, id)).map(({ text }) => text).join(' ');
  assert.match(words, /Your ticket is open/);
  assert.deepEqual(model.unexpected, []);
  const late = await own.request('POST', path, { tool_call_id, result: 2 });
  assert.deepEqual([late.status, late.body.code], [409, 'call_already_ended']);
});

test('without an account the offline model uses the tools that its prompt names', async () => {
  const server = await toolServer();
  server.answer('/price', jsonAnswer({ result: { euros: 40 } }));
  const own = organization();
  const tool = await own.request<ToolWithSecret>('POST', '/v1/tools', {
    name: 'check_price',
    description: 'The price.',
    parameters: { type: 'object', properties: {} },
    url: `${server.url}/price`,
    effect: 'read',
  });
  assert.equal(tool.status, 201, tool.text);
  const agent = await addAgent(own, {
    system_prompt: 'Use check_price. Ask them to call the office.',
    tools: [{ type: 'tool', tool_id: tool.body.id }, 'end_call'],
  });
  const { id } = await place(own, people.converses, { agent_id: agent.id });
  assert.equal((await ended(own, id)).status, 'completed');
  assert.equal(server.requests.length, 1);
  const words = (await transcript(own, id)).map(({ text }) => text).join(' ');
  assert.match(words, /Let me do that for you\..*I found: 40\./);
  const [record] = await toolCalls(own, `call_id=${id}`);
  assert.deepEqual([record?.name, record?.status], ['check_price', 'done']);
});

test('a refusal of every contact stops texts, calls and emails to the person', async () => {
  const { own } = await withModel([
    { when: /./, say: 'I understand.', calls: [{ name: 'do_not_contact', arguments: { scope: 'all' } }] },
    {
      when: /recorded/,
      say: 'Goodbye.',
      calls: [{ name: 'end_call', arguments: { reason: 'person_asked' } }],
    },
  ]);
  const contact = { name: 'Ana', phone_e164: people.converses, email: 'ana@example.com' };
  assert.equal((await own.request('POST', '/v1/contacts', contact)).status, 201);
  const { id } = await place(own, people.converses, { tools: [] });
  await eventually('the refusal is recorded', async () =>
    (await toolCalls(own, `call_id=${id}`)).some(
      ({ name, status }) => name === 'do_not_contact' && status === 'done',
    ),
  );
  await own.request('POST', `/v1/calls/${id}/cancel`);
  await ended(own, id);
  const email = { to: ['ana@example.com'], subject: 'Hi', body_text: 'Hi', recipient_consent: true };
  const refused = await own.request('POST', '/v1/emails', email);
  assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_suppressed']);
});

test('a call of a tool whose process is gone becomes unknown', async () => {
  const own = organization();
  const ref = { organization_id: own.organization_id, id: crypto.randomUUID() };
  const now = new Date();
  await db.run(sql`
    insert into tool_calls (organization_id, id, conversation_id, name, kind, effect, arguments, status, round,
                            arguments_hash, requested_at, lost_at)
    values (${ref.organization_id}, ${ref.id}, ${ref.id}, 'book', 'http', 'act', '{}', 'running', 1, '', ${now},
            ${new Date(now.getTime() + 40_000)})`);
  assert.equal((await toolCalls(own, 'status=running')).length, 1);
  await later(90);
  const [record] = await toolCalls(own, `conversation_id=${ref.id}`);
  assert.deepEqual([record?.status, record?.error], ['unknown', null]);
});
