// What a call takes from its agent and from its request: variables, context, engines, destinations, voicemail.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  people,
  place,
  read,
  said,
  timeline,
  transcript,
} from '../../../../testing/calls.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { standIn } from '../../../../testing/stand-in.ts';

const { organization } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  // Slower than in other tests: the model is reached over HTTP.
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);

type Problem = { code: string; errors: { path: string; message: string }[] };
type ModelRequest = { messages: { role: string; content: string }[]; temperature?: number; model: string };

const requests: ModelRequest[] = [];
const model = await standIn(({ body }, response) => {
  requests.push(JSON.parse(String(body)));
  sayAndEnd(response, 'This is the named model. Goodbye.');
});
const model_url = `${model.url}/v1`;

function sayAndEnd(response: ServerResponse, content: string): void {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'end_call', arguments: '{}' } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    `${chunk({ content }) + chunk({ tool_calls: [call] }) + chunk({}, 'tool_calls')}data: [DONE]\n\n`,
  );
}

async function newAgent(own: Client, fields: object): Promise<Agent> {
  const created = await own.request<Agent>('POST', '/v1/agents', { name: 'Desk', ...fields });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

const refused = async (own: Client, more: object) => {
  const body = { to: people.converses, recipient_consent: true, ...more };
  const response = await own.request<Problem>('POST', '/v1/calls', body);
  assert.equal(response.status, 422, response.text);
  return response.body;
};

/** The default provider of the organization, and a second one that only agents name. */
async function withTwoModels(own: Client): Promise<void> {
  const put = async (provider: string, base_url: string) => {
    const body = { provider, api_key: 'sk-own-key', params: { base_url, model: 'm' } };
    const response = await own.request('PUT', '/v1/providers/llm', body);
    assert.equal(response.status, 200, response.text);
  };
  await put('openai-compatible', 'http://127.0.0.1:9/v1');
  await put('groq', model_url);
}

test('texts are rendered with the values of agent, request and call; a value is never a template', async () => {
  const own = organization();
  await withTwoModels(own);
  const phone_e164 = people.converses;
  await own.request('POST', '/v1/contacts', { name: 'Thomas Lee', phone_e164 });
  const agent = await newAgent(own, {
    system_prompt:
      'For {{practice}}, about {{topic|nothing}}. {{customer}} {{person}} {{contact_name}} {{weekday}}',
    first_message: 'Hello {{customer}}, this is {{practice}}.',
    variables: { practice: 'the practice', customer: 'nobody' },
    engines: { llm: { provider: 'groq', temperature: 0.4 } },
    timezone: 'Europe/Berlin',
  });
  const variables = { customer: 'Ms {{practice}}' };
  const placed = await place(own, phone_e164, {
    agent_id: agent.id,
    variables,
    context: 'Prefers mornings.',
  });
  assert.deepEqual(placed.variables, { practice: 'the practice', ...variables });
  assert.equal(placed.agent_version, 1);
  const call = await ended(own, placed.id);
  assert.equal(call.status, 'completed', JSON.stringify(await timeline(own, placed.id)));
  assert.match(
    said(await transcript(own, placed.id), 'agent'),
    /Hello Ms \{\{practice\}\}, this is the practice\./,
  );
  const system = requests[0]!.messages[0]!.content;
  assert.match(
    system,
    /For the practice, about nothing\. Ms \{\{practice\}\} \+15005550201 Thomas Lee \w+day/,
  );
  assert.match(system, /Facts for this call.*\nPrefers mornings\./);
  assert.equal(requests[0]!.temperature, 0.4);
  assert.deepEqual((await read(own, placed.id)).variables, placed.variables);
});

test('a call without the value of a variable is refused with every path', async () => {
  const own = organization();
  const agent = await newAgent(own, {
    first_message: 'Hello {{customer}}.',
    voicemail: { message: 'For {{customer}}.' },
  });
  const problem = await refused(own, { agent_id: agent.id, system_prompt: '{{a}} {{b}} {{c|d}}' });
  assert.equal(problem.code, 'variable_missing');
  assert.deepEqual(
    problem.errors.map(({ path, message }) => `${path} ${message.slice(0, 8)}`),
    [
      'body.system_prompt {{a}} ha',
      'body.system_prompt {{b}} ha',
      'agent.first_message {{custom',
      'agent.voicemail.message {{custom',
    ],
  );
});

test('an agent that answers a number must have all values itself', async () => {
  const own = organization();
  const agent = await newAgent(own, { system_prompt: 'For {{practice}}.' });
  const bought = await own.request<{ id: string }>('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(bought.status, 201, bought.text);
  const attach = () =>
    own.request<Problem>('PATCH', `/v1/numbers/${bought.body.id}`, { voice_agent_id: agent.id });
  const first = await attach();
  assert.deepEqual([first.status, first.body.code], [422, 'variable_missing']);
  assert.deepEqual(
    first.body.errors.map(({ path }) => path),
    ['agent.system_prompt'],
  );
  const change = (body: object) => own.request<Problem>('PATCH', `/v1/agents/${agent.id}`, body);
  assert.equal((await change({ variables: { practice: 'us' } })).status, 200);
  assert.equal((await attach()).status, 200);
  const removed = await change({ variables: {} });
  assert.deepEqual([removed.status, removed.body.code], [422, 'variable_missing']);
  assert.deepEqual(
    removed.body.errors.map(({ path }) => path),
    ['body.system_prompt'],
  );
});

test('a provider that is not set is refused in an agent and in a call', async () => {
  const own = organization();
  const engines = { llm: { provider: 'anthropic' }, tts: { provider: 'cartesia' } };
  const agent = await own.request<Problem>('POST', '/v1/agents', { name: 'Desk', engines });
  assert.deepEqual([agent.status, agent.body.code], [422, 'provider_not_configured']);
  const paths = ['body.engines.llm.provider', 'body.engines.tts.provider'];
  assert.deepEqual(
    agent.body.errors.map(({ path }) => path),
    paths,
  );
  assert.deepEqual(
    (await refused(own, { engines })).errors.map(({ path }) => path),
    paths,
  );
});

test('a call names its own model or a provider, not both', async () => {
  const own = organization();
  await withTwoModels(own);
  const llm = { base_url: model_url, model: 'x' };
  const problem = await refused(own, { llm, engines: { llm: { provider: 'groq' } } });
  assert.deepEqual(
    problem.errors.map(({ path }) => path),
    ['body.engines.llm'],
  );
});

test('a provider that was removed is replaced by the active one, with a note in the timeline', async () => {
  const own = organization();
  await withTwoModels(own);
  const agent = await newAgent(own, { engines: { llm: { provider: 'openai-compatible' } } });
  await own.request('POST', '/v1/providers/llm/activate', { provider: 'groq' });
  const removed = await own.request('DELETE', '/v1/providers/llm/openai-compatible');
  assert.equal(removed.status, 204, removed.text);
  const { id } = await place(own, people.converses, { agent_id: agent.id });
  assert.equal((await ended(own, id)).status, 'completed');
  assert.match(said(await transcript(own, id), 'agent'), /This is the named model/);
  const notes = (await timeline(own, id)).filter(({ kind }) => kind === 'went_wrong');
  assert.match(String(notes[0]!.detail.detail), /openai-compatible of the agent is not set/);
});

test('options of the agent reach the engine', async () => {
  const own = organization();
  let form = '';
  const recognizer = await standIn(({ body }, response) => {
    form = body.toString('latin1');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Goodbye."}');
  });
  const params = { base_url: `${recognizer.url}/v1` };
  const provider = 'openai-compatible';
  await own.request('PUT', '/v1/providers/stt', { provider, api_key: 'sk-own-key', params });
  const engines = { stt: { provider, keywords: ['Weber', 'Lee'], model: 'own-1' } };
  const { id } = await place(own, people.converses, { engines });
  assert.equal((await ended(own, id)).status, 'completed');
  assert.match(form, /name="prompt"\r\n\r\nWeber, Lee\r\n/);
  assert.match(form, /name="model"\r\n\r\nown-1\r\n/);
});

test('destinations and tools of a call are checked', async () => {
  const own = organization();
  const desk = { name: 'desk', recipient_consent: true };
  const premium = await refused(own, { destinations: [{ ...desk, phone: '+19005550100' }] });
  assert.equal(premium.code, 'destination_not_allowed');
  assert.deepEqual(
    premium.errors.map(({ path }) => path),
    ['body.destinations[0].phone'],
  );
  const nobody = await refused(own, { tools: ['end_call', 'transfer_call'] });
  assert.deepEqual(
    nobody.errors.map(({ path }) => path),
    ['body.tools[1]'],
  );
  const by_mail = [{ ...desk, email: 'desk@example.com' }];
  const mail_only = await refused(own, { tools: ['transfer_call'], destinations: by_mail });
  assert.deepEqual(
    mail_only.errors.map(({ path }) => path),
    ['body.tools[0]'],
  );
  const missing = await refused(own, { destinations: [{ name: 'desk', phone: '+15005550211' }] });
  assert.equal(missing.code, 'consent_required');
});

test('the voicemail settings of the call decide what an answering machine gets', async () => {
  const own = organization();
  const agent = await newAgent(own, {
    voicemail: { message: 'For {{name}}: call us.' },
    variables: { name: 'Ana' },
  });
  const message = await place(own, people.voicemail, { agent_id: agent.id });
  const none = await place(own, people.voicemail, { agent_id: agent.id, voicemail: { action: 'hang_up' } });
  const [left, hung_up] = await Promise.all([ended(own, message.id), ended(own, none.id)]);
  const outcome = ({ end_reason, answered_by }: Call) => [end_reason, answered_by];
  assert.deepEqual(outcome(left), ['voicemail', 'machine']);
  assert.match(said(await transcript(own, left.id), 'agent'), /For Ana: call us\./);
  assert.deepEqual(outcome(hung_up), ['voicemail', 'machine']);
  assert.doesNotMatch(said(await transcript(own, hung_up.id), 'agent'), /call us/);
});
