// A model behind the Anthropic Messages API, simulated by a local server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { chunksOf, end_call, llmConformance, llmRequest } from '../conformance.ts';
import { LlmFailed, type Turn, wholeReply } from '../llm.ts';
import { anthropicLlm } from './index.ts';

let last_request: { path: string; headers: Record<string, unknown>; body: Record<string, unknown> };

const requests: Sent[] = [];
const breakpoint = { cache_control: { type: 'ephemeral' } };
const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const block = (index: number, content_block: object, ...deltas: object[]) =>
  [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ].join('');
const spoken = (index: number, ...texts: string[]) =>
  block(index, { type: 'text', text: '' }, ...texts.map((text) => ({ type: 'text_delta', text })));
const whole = (...blocks: string[]) =>
  [event('message_start', { message: {} }), ...blocks, event('message_stop')].join('');

const streams: Record<string, string> = {
  speaks: whole(
    block(0, { type: 'thinking' }, { type: 'thinking_delta', thinking: 'I should greet Anna.' }),
    event('ping'),
    spoken(1, 'Grüß dich, ', 'Anna.'),
  ),
  hangs_up: whole(
    spoken(0, 'Bye.'),
    block(
      1,
      { type: 'tool_use', id: 'toolu_7', name: 'end_call', input: {} },
      { type: 'input_json_delta', partial_json: '{"rea' },
      { type: 'input_json_delta', partial_json: 'son":"done"}' },
    ),
  ),
  strict: whole(spoken(0, 'Fine.')),
  overloads_late: `${event('message_start')}${event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })}`,
  floods: whole(spoken(0, 'x'.repeat(2_000_000))),
};

type Cached = { cache_control?: { type: string } };
type Sent = {
  system?: string | (Cached & { type: string; text: string })[];
  tool_choice?: { name: string };
  messages: { role: string; content: Part[] }[];
};
type Part = Cached & { type: string; text?: string; content?: string };
const promptOf = ({ system = '' }: Sent): string =>
  typeof system === 'string' ? system : system.map(({ text }) => text).join('');
const toolUse = (index: number, name: string, input: object) =>
  block(
    index,
    { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  );
/** Replies that depend on what was sent, as those of a model do. */
const answers: Record<string, (sent: Sent) => string> = {
  two_tools: () => whole(toolUse(0, 'look_up', { day: 'Monday' }), toolUse(1, 'look_up', { day: 'Tuesday' })),
  repeats_results: ({ messages }) =>
    whole(spoken(0, ...messages.at(-1)!.content.map(({ type, content }) => `${type}: ${content} `))),
  obeys: ({ tool_choice }) => whole(toolUse(0, tool_choice!.name, { day: 'Tuesday' })),
  follows_notes: (sent) => {
    const { messages } = sent;
    assert.match(promptOf(sent), /<operator-note>/);
    const text = messages.flatMap(({ content }) => content.map((part) => part.text)).join('');
    return whole(
      spoken(0, ...Array.from(text.matchAll(/<operator-note>(.*?)<\/operator-note>/g), (note) => note[1]!)),
    );
  },
  reports_the_cache: () =>
    [
      event('message_start', {
        message: {
          model: 'small-20260101',
          usage: { input_tokens: 3, cache_creation_input_tokens: 20, cache_read_input_tokens: 400 },
        },
      }),
      spoken(0, 'Fine.'),
      event('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: null, output_tokens: 7 },
      }),
      event('message_stop'),
    ].join(''),
  reports_usage: () =>
    [
      event('message_start', { message: { usage: { input_tokens: 12, output_tokens: 1 } } }),
      spoken(0, 'I was about to say'),
      event('message_delta', { delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 7 } }),
      event('message_stop'),
    ].join(''),
};

const { url } = await standIn(({ request, body }, response) => {
  last_request = { path: request.url!, headers: request.headers, body: JSON.parse(body.toString()) };
  const scenario = request.url!.split('/')[1]!;
  const stream = () => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (scenario === 'refuses')
    return response.writeHead(401).end('{"type":"error","error":{"message":"invalid x-api-key"}}');
  requests.push(last_request.body as Sent);
  const is_marked = body.includes('cache_control');
  if (scenario === 'strict' && is_marked)
    return response.writeHead(400).end('{"error":{"message":"tools.0.cache_control: Extra inputs"}}');
  if (scenario === 'refuses_all') return response.writeHead(400).end('{"error":{"message":"max_tokens"}}');
  if (scenario === 'overloaded') return response.writeHead(529).end('{"type":"error"}');
  if (scenario === 'hangs') return;
  if (scenario === 'html') return stream().end('<html>Welcome to our website</html>');
  if (scenario === 'breaks')
    return stream().write(event('message_start') + spoken(0, 'I was about'), () => response.destroy());
  if (scenario === 'whole') {
    const content = [
      { type: 'text', text: 'All at once.' },
      { type: 'tool_use', id: 't1', name: 'end_call', input: {} },
    ];
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ type: 'message', content }));
  }
  // Network chunks do not end where protocol messages end.
  const text = Buffer.from(streams[scenario] ?? answers[scenario]!(last_request.body as Sent));
  stream();
  for (let at = 0; at < text.length; at += 4093) response.write(text.subarray(at, at + 4093));
  response.end();
});

const model = (scenario: string) =>
  anthropicLlm({
    agent: loopbackAgent(),
    settings: { base_url: `${url}/${scenario}/v1/`, api_key: 'sk-test', model: 'small', max_tokens: 300 },
  });

llmConformance('anthropic', {
  speaks: async () => model('speaks'),
  hangsUp: async () => model('hangs_up'),
  callsTwoTools: async () => model('two_tools'),
  usesResults: async () => model('repeats_results'),
  obeysTheChoice: async () => model('obeys'),
  followsNotes: async () => model('follows_notes'),
  rejectsTheKey: async () => model('refuses'),
  isOverloaded: async () => model('overloaded'),
  sendsGarbage: async () => model('html'),
  breaksOff: async () => model('breaks'),
  neverResponds: async () => model('hangs'),
});

test('the reasoning of the model is not part of the reply', async () => {
  assert.equal((await wholeReply(model('speaks'), llmRequest('Hello?'))).text, 'Grüß dich, Anna.');
});

test('the arguments of a tool call are put together', async () => {
  const { tool_calls } = await wholeReply(model('hangs_up'), llmRequest('Goodbye.'));
  assert.deepEqual(tool_calls, [{ call_id: 'toolu_7', name: 'end_call', arguments: { reason: 'done' } }]);
});

test('an endpoint that does not stream works too', async () => {
  const { text, tool_calls } = await wholeReply(model('whole'), llmRequest('Hello?'));
  assert.equal(text, 'All at once.');
  assert.deepEqual(tool_calls, [{ call_id: 't1', name: 'end_call', arguments: {} }]);
});

test('tokens are counted, and a reply that was cut is marked', async () => {
  const limited = llmRequest('Hello?', { max_output_tokens: 7, temperature: 2 });
  const { usage, stopped } = await wholeReply(model('reports_usage'), limited);
  assert.deepEqual(usage, { input_tokens: 12, output_tokens: 7 });
  assert.equal(stopped, 'length');
  assert.deepEqual([last_request.body.max_tokens, last_request.body.temperature], [7, 1]);
});

test('results of tools come before other texts of their message', async () => {
  const { body } = await sent([
    { role: 'assistant', content: '', tool_calls: [{ call_id: 'a', name: 'look_up', arguments: {} }] },
    { role: 'note', content: 'Be quick.' },
    { role: 'tool', call_id: 'a', content: 'free' },
  ]);
  const [, , last] = body.messages as { content: { type: string }[] }[];
  assert.deepEqual(
    last!.content.map(({ type }) => type),
    ['tool_result', 'text'],
  );
});

test('an overload that is reported in the stream is retryable', async () => {
  await assert.rejects(
    wholeReply(model('overloads_late'), llmRequest('Hello?')),
    (error: LlmFailed) => error.retryable && /Overloaded/.test(error.message),
  );
});

test('a response over the size limit is a failure', async () => {
  await assert.rejects(wholeReply(model('floods'), llmRequest('Hello?')), LlmFailed);
});

const sent = async (turns: Turn[]) => {
  await wholeReply(model('speaks'), { ...llmRequest('', { channel_instructions: 'Be brief.' }), turns });
  return last_request;
};

test('the request has the key, the version, the prompt, a limit and the tools', async () => {
  const { path, headers, body } = await sent([{ role: 'user', content: 'Hello?' }]);
  assert.equal(path, '/speaks/v1/messages');
  assert.equal(headers['x-api-key'], 'sk-test');
  assert.equal(headers['anthropic-version'], '2023-06-01');
  assert.match(promptOf(body as Sent), /dentist.*\n\nBe brief\.$/);
  assert.deepEqual([body.model, body.max_tokens, body.stream], ['small', 300, true]);
  const { name, description, parameters: input_schema } = end_call;
  assert.deepEqual(body.tools, [{ name, description, input_schema, ...breakpoint }]);
});

test('F8: tools, prompt and the last message are cache breakpoints, at most four of them', async () => {
  const call = { call_id: 'a', name: 'end_call', arguments: {} };
  const { body } = await sent([
    { role: 'user', content: 'Hello?' },
    { role: 'note', content: 'Be quick.' },
    { role: 'assistant', content: 'One moment.', tool_calls: [call] },
    { role: 'tool', call_id: 'a', content: 'done' },
  ]);
  const { system, messages } = body as Sent;
  assert.ok(Array.isArray(system));
  // The rule about notes comes with the first note: it is after the breakpoints, so that they stay valid.
  assert.deepEqual(
    system.map(({ cache_control }) => cache_control?.type),
    ['ephemeral', 'ephemeral', undefined],
  );
  const parts = messages.flatMap(({ content }) => content);
  assert.deepEqual(
    parts.map(({ type, cache_control }) => [type, cache_control?.type]),
    [
      ['text', undefined],
      ['text', undefined],
      ['text', undefined],
      ['tool_use', undefined],
      ['tool_result', 'ephemeral'],
    ],
  );
  assert.equal(JSON.stringify(body).split('cache_control').length - 1, 4);
});

test('F8: an agent without a prompt and tools sends a breakpoint only in its message', async () => {
  await wholeReply(model('speaks'), { ...llmRequest('Hello?'), system_prompt: '', tools: [], turns: [] });
  const { system, tools, messages } = last_request.body as Sent & { tools?: unknown };
  assert.deepEqual([system, tools], [undefined, undefined]);
  assert.deepEqual(messages.at(-1)!.content.at(-1)!.cache_control, breakpoint.cache_control);
});

test('F8: tokens of the cache count as input, and those that were read from it are reported', async () => {
  const chunks = await chunksOf(model('reports_the_cache'), llmRequest('Hello?'));
  assert.deepEqual(chunks.at(-1), {
    usage: { input_tokens: 423, output_tokens: 7, cached_input_tokens: 400 },
    model: 'small-20260101',
  });
});

test('F8: a server that refuses breakpoints gets the same request without them, once for all replies', async () => {
  const strict = model('strict');
  requests.length = 0;
  for (let turn = 0; turn < 2; turn++)
    assert.equal((await wholeReply(strict, llmRequest('Hello?'))).text, 'Fine.');
  assert.equal(requests.length, 3);
  const marked = requests.map((request) => JSON.stringify(request).includes('cache_control'));
  assert.deepEqual(marked, [true, false, false]);
  assert.equal(promptOf(requests[1]!), promptOf(requests[0]!));
});

test('F8: a request that is wrong for another reason is not repeated', async () => {
  requests.length = 0;
  await assert.rejects(wholeReply(model('refuses_all'), llmRequest('Hello?')), LlmFailed);
  assert.equal(requests.length, 1);
});

test('all results of a turn are in one message, and the user speaks first', async () => {
  const call = (call_id: string) => ({ call_id, name: 'send_digits', arguments: { digits: '1' } });
  const { body } = await sent([
    { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
    { role: 'tool', call_id: 'a', content: 'sent' },
    { role: 'tool', call_id: 'b', content: 'sent' },
    { role: 'user', content: 'Hello?' },
  ]);
  const messages = body.messages as { role: string; content: { type: string }[] }[];
  assert.deepEqual(
    messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'tool_use', 'tool_use'],
      ['user', 'tool_result', 'tool_result', 'text'],
    ],
  );
});

test('an agent that speaks first sends a message of the user, and empty texts are left out', async () => {
  for (const turns of [[], [{ role: 'user', content: ' ' }] satisfies Turn[]])
    assert.equal(((await sent(turns)).body.messages as unknown[]).length, 1);
});
