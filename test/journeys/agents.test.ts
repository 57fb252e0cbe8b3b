// Journey of one person over all channels: a call with tools, a transfer and a typed result, then a text and an email that are
// answered with knowledge of the call. Model, tool, MCP and relay servers are separate processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call, CallTurn } from '../../packages/contract/src/channels/calls/call-records.ts';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech, ended } from '../../packages/server/testing/calls.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { startPeer } from './agent-peers/peer.ts';

const person = { phone: '+15005550299', email: 'ana@example.com' };
const colleague = '+15005550211';

const { client, later } = await startTestApp({}, { speech: () => codedSpeech() });

async function need<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await client.request<T>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
}

const result_schema = {
  type: 'object',
  properties: { booked_at: { type: ['string', 'null'] } },
  required: ['booked_at'],
};

/** What the person says, each after the agent's turn. */
const turns = (...texts: string[]) => texts.flatMap((text) => [{ do: 'wait_for_turn' }, { do: 'say', text }]);

async function newNumber(agent_id: string): Promise<string> {
  const { id, e164 } = await need<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  await need('PATCH', `/v1/numbers/${id}`, { voice_agent_id: agent_id, sms_agent_id: agent_id });
  return e164;
}

const callIn = async (to: string, script: object[]): Promise<Call> =>
  (await need<{ call: Call }>('POST', '/v1/sandbox/inbound-calls', { from: person.phone, to, script })).call;

test('a caller is booked, texted and put through, and is known on every channel afterwards', async (t) => {
  const [model, booking, calendar] = await Promise.all([
    startPeer(t, 'model-server'),
    startPeer(t, 'booking-server'),
    startPeer(t, 'slot-server'),
  ]);
  await need('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-journey',
    params: { base_url: `${model.url}/v1`, model: 'journey' },
  });
  const server = await need<{ id: string }>('POST', '/v1/mcp-servers', {
    name: 'calendar',
    url: `${calendar.url}/mcp`,
    headers: { Authorization: 'Bearer calendar-key' },
    allow: [{ name: 'free_slots', effect: 'read' }],
  });
  const tool = await need<{ id: string }>('POST', '/v1/tools', {
    name: 'book_slot',
    description: 'Books a slot.',
    parameters: { type: 'object', properties: { time: { type: 'string' } }, required: ['time'] },
    url: `${booking.url}/book`,
  });
  const agent = await need<{ id: string }>('POST', '/v1/agents', {
    name: 'Front desk',
    system_prompt: 'You book appointments.',
    first_message: 'Hello, how can I help you?',
    tools: [
      { type: 'mcp', server_id: server.id },
      { type: 'tool', tool_id: tool.id },
      { type: 'send_sms' },
      { type: 'transfer_call' },
    ],
    destinations: [
      {
        name: 'desk',
        description: 'Questions about invoices.',
        phone: colleague,
        recipient_consent: true,
        transfer: { mode: 'warm', brief: 'summary', accept: 'yes_or_1' },
      },
    ],
    result_schema,
    messaging: { reply_delay_seconds: 0 },
  });
  await need('POST', '/v1/contacts', { name: 'Ana', phone_e164: person.phone, email: person.email });
  const number = await newNumber(agent.id);

  const { id } = await callIn(number, [
    ...turns(
      'I need an appointment please.',
      'Ten is good.',
      'Yes, text me the time.',
      'I have a question about my invoice.',
    ),
    // The colleague is called, briefed and connected meanwhile.
    { do: 'wait', seconds: 40 },
    { do: 'say', text: 'Thank you.' },
    { do: 'wait', seconds: 3 },
    { do: 'hang_up' },
  ]);
  const call = await ended(client, id);
  assert.equal(call.status, 'completed');

  assert.deepEqual(calendar.seen, [{ tool: 'free_slots', day: '2026-12-01' }]);
  assert.equal(booking.seen.length, 1, 'booked once');
  assert.deepEqual(booking.seen[0]!.arguments, { time: '10:00' });
  assert.match(String(booking.seen[0]!.signature), /^t=\d+,v1=[0-9a-f]{64}/);
  const calls = await need<{ items: { name: string; status: string; id: string }[] }>(
    'GET',
    `/v1/tool-calls?call_id=${id}`,
  );
  assert.deepEqual(calls.items.map(({ name, status }) => [name, status]).sort(), [
    ['book_slot', 'done'],
    ['calendar__free_slots', 'done'],
    ['send_sms', 'done'],
    ['transfer_call', 'done'],
  ]);

  const texts = await need<{ items: { to: string; body: string; direction: string }[] }>(
    'GET',
    `/v1/sms?direction=outbound`,
  );
  assert.deepEqual(
    texts.items.map(({ to, body }) => [to, body.includes('1 December, 10:00')]),
    [[person.phone, true]],
  );

  assert.equal(call.transfer?.status, 'ended');
  assert.equal(call.transfer?.to, colleague);
  const { turns: said } = await need<{ turns: CallTurn[] }>('GET', `/v1/calls/${id}/transcript`);
  assert.ok(
    said.some(
      ({ speaker, is_private, text }) => speaker === 'agent' && is_private && /booked ten/i.test(text),
    ),
    'the colleague was briefed in private',
  );
  assert.ok(said.some(({ speaker, is_private }) => speaker === 'colleague' && !is_private));

  const settled = await need<Call>('GET', `/v1/calls/${id}?wait_seconds=30&wait_for=result`);
  assert.deepEqual([settled.result_status, settled.result], ['ready', { booked_at: '10:00' }]);
  assert.match(settled.summary!, /Booked 1 December/);

  await need('POST', '/v1/sandbox/inbound-sms', {
    from: person.phone,
    to: number,
    body: 'When is my appointment?',
  });
  await later(1);
  await waitFor('the text is answered', async () => {
    const { items } = await need<{ items: { body: string }[] }>('GET', '/v1/sms?direction=outbound');
    return items.some(({ body }) => body.includes('On 1 December at 10:00.'));
  });

  const mailbox = await need<{ id: string; default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'desk',
    local_prefix_org: 'journey',
  });
  await need('PATCH', `/v1/email-domains/${mailbox.id}`, { email_agent_id: agent.id });
  await need('POST', '/v1/sandbox/inbound-emails', {
    from: person.email,
    to: [mailbox.default_address],
    subject: 'Question',
    body_text: 'When is my appointment?',
  });
  await later(1);
  await waitFor('the email is answered', async () => {
    const { items } = await need<{ items: { to_addresses: string[]; id: string }[] }>(
      'GET',
      '/v1/emails?direction=outbound',
    );
    const reply = items.find(({ to_addresses }) => to_addresses.includes(person.email));
    if (!reply) return false;
    const { body_text } = await need<{ body_text: string }>('GET', `/v1/emails/${reply.id}`);
    return body_text.includes('On 1 December at 10:00.');
  });
  assert.ok(
    calendar.seen.every(({ tool: name }) => name !== 'delete_all'),
    'a tool that is not allowed is never called',
  );
});

test('a program with the frames of ConversationRelay leads a call', async (t) => {
  const secret = 'relay-secret-of-the-journey';
  const relay = await startPeer(t, 'relay-server', { RELAY_SECRET: secret });
  const agent = await need<{ id: string }>('POST', '/v1/agents', {
    name: 'Relay',
    first_message: 'Hello, this is the relay.',
    engines: {
      relay: { url: `${relay.url.replace('http', 'ws')}/relay`, parameters: { k: 'v' }, secret },
    },
  });
  const number = await newNumber(agent.id);
  const { id } = await callIn(number, turns('I have a question.', 'Goodbye.'));
  const call = await ended(client, id);
  assert.deepEqual([call.status, call.end_reason], ['completed', 'agent_hangup']);
  assert.deepEqual(relay.seen[0], { connected: true, is_signed: true });
  const setup = relay.seen.find(({ type }) => type === 'setup')!;
  assert.deepEqual(setup.customParameters, { k: 'v' });
  assert.deepEqual(
    relay.seen.filter(({ type }) => type === 'prompt').map(({ voicePrompt }) => voicePrompt),
    ['I have a question.', 'Goodbye.'],
  );
  const { turns: said } = await need<{ turns: CallTurn[] }>('GET', `/v1/calls/${id}/transcript`);
  assert.ok(said.some(({ speaker, text }) => speaker === 'agent' && text.includes('You said')));
});
