// A model behind the chat completions protocol, simulated by a local server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { addressPolicy } from '../../../platform/egress/address-policy.ts';
import { guardedAgent } from '../../../platform/egress/guarded-agent.ts';
import { chunksOf, end_call, llmConformance, llmRequest } from '../conformance.ts';
import { LlmFailed, wholeReply } from '../llm.ts';
import { openAiCompatibleLlm } from './index.ts';
import { strictSchema } from './strict-schema.ts';

type Sent = {
  messages: Message[];
  model: string;
  tools?: unknown;
  tool_choice?: { function: { name: string } };
  response_format?: { json_schema: { strict: boolean; schema: unknown } };
  [name: string]: unknown;
};
type Message = { role: string; content: string | null };
let last_request: {
  headers: Record<string, unknown>;
  body: Sent;
};

const event = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const toolDelta = (part: object) => event({ tool_calls: [{ index: 0, ...part }] });

const called = (...calls: { name: string; input: object }[]) =>
  calls
    .map(({ name, input }, index) =>
      event({
        tool_calls: [{ index, id: `call_${index}`, function: { name, arguments: JSON.stringify(input) } }],
      }),
    )
    .join('') + event({}, 'tool_calls');
const said = (text: string) => event({ content: text }) + event({}, 'stop');
/** Replies that depend on what was sent, as those of a model do. */
const answers: Record<string, (sent: Sent) => string> = {
  two_tools: () =>
    called({ name: 'look_up', input: { day: 'Monday' } }, { name: 'look_up', input: { day: 'Tuesday' } }),
  repeats_results: ({ messages }) =>
    said(messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : [])).join(' ')),
  obeys: ({ tool_choice }) => called({ name: tool_choice!.function.name, input: { day: 'Tuesday' } }),
  follows_notes: ({ messages }) => said(messages.findLast(({ role }) => role === 'system')!.content!),
  structured: ({ response_format, max_tokens, stream_options }) => {
    assert.equal(response_format!.json_schema.strict, true);
    assert.deepEqual([max_tokens, stream_options], [500, { include_usage: true }]);
    const usage = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } };
    return `${said('{"day": "Tuesday", "is_free": null}')}data: ${JSON.stringify(usage)}\n\n`;
  },
  uses_a_cache: () => {
    const counts = { prompt_tokens: 12, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 5 } };
    return `${said('Fine.')}data: ${JSON.stringify({ model: 'small-1', choices: [], usage: counts })}\n\n`;
  },
  refuses_to_say: () => event({ refusal: 'I cannot help with that.' }) + event({}, 'stop'),
  cut: () => event({ content: 'I was about' }) + event({}, 'length'),
};

const { url } = await standIn(({ request, body }, response) => {
  last_request = { headers: request.headers, body: JSON.parse(body.toString()) };
  const scenario = request.url!.split('/')[1];
  const stream = () => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (scenario === 'refuses') return response.writeHead(401).end('{"error":{"message":"Incorrect API key"}}');
  if (scenario === 'overloaded') return response.writeHead(503).end('later');
  if (scenario === 'hangs') return;
  if (scenario === 'html') return stream().end('<html>Welcome to our website</html>');
  if (scenario === 'redirects') return response.writeHead(302, { location: `${url}/speaks/v1` }).end();
  if (scenario === 'floods') return stream().end(event({ content: 'x'.repeat(2_000_000) }));
  if (scenario === 'breaks')
    return stream().write(event({ content: 'I was about to' }), () => response.destroy());
  if (scenario === 'whole') {
    const message = {
      content: 'All at once.',
      tool_calls: [{ id: 'c1', function: { name: 'end_call', arguments: '' } }],
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ choices: [{ message }] }));
  }
  if (scenario === 'hangs_up') {
    stream().write(event({ content: 'Bye.' }));
    response.write(toolDelta({ id: 'call_7', function: { name: 'end_call', arguments: '' } }));
    response.write(toolDelta({ function: { arguments: '{"rea' } }));
    response.write(toolDelta({ function: { arguments: 'son":"done"}' } }));
    return response.end(`${event({}, 'tool_calls')}data: [DONE]\n\n`);
  }
  if (answers[scenario!]) return stream().end(`${answers[scenario!]!(last_request.body)}data: [DONE]\n\n`);
  // Network chunks do not end where protocol messages end.
  const text = Buffer.from(
    `: keep-alive\r\n\r\n${event({ role: 'assistant', content: '' })}${event({ content: 'Grüß dich, ' })}${event({ content: 'Anna.' })}${event({}, 'stop')}data: [DONE]\n\n`,
  );
  stream();
  for (let at = 0; at < text.length; at += 7) response.write(text.subarray(at, at + 7));
  response.end();
});

const agent = loopbackAgent();
const model = (scenario: string, api_key: string | null = 'sk-test') =>
  openAiCompatibleLlm({ agent, settings: { base_url: `${url}/${scenario}/v1/`, api_key, model: 'small' } });

llmConformance('openai-compatible', {
  speaks: async () => model('speaks'),
  hangsUp: async () => model('hangs_up'),
  callsTwoTools: async () => model('two_tools'),
  usesResults: async () => model('repeats_results'),
  obeysTheChoice: async () => model('obeys'),
  followsNotes: async () => model('follows_notes'),
  isStructured: async () => model('structured'),
  rejectsTheKey: async () => model('refuses'),
  isOverloaded: async () => model('overloaded'),
  sendsGarbage: async () => model('html'),
  breaksOff: async () => model('breaks'),
  neverResponds: async () => model('hangs'),
});

test('a stream that is split anywhere gives the same text', async () => {
  assert.equal((await wholeReply(model('speaks'), llmRequest('Hello?'))).text, 'Grüß dich, Anna.');
});

test('the arguments of a tool call are put together', async () => {
  const { tool_calls } = await wholeReply(model('hangs_up'), llmRequest('Goodbye.'));
  assert.deepEqual(tool_calls, [{ call_id: 'call_7', name: 'end_call', arguments: { reason: 'done' } }]);
});

test('an endpoint that does not stream works too', async () => {
  const { text, tool_calls } = await wholeReply(model('whole'), llmRequest('Hello?'));
  assert.equal(text, 'All at once.');
  assert.deepEqual(tool_calls, [{ call_id: 'c1', name: 'end_call', arguments: {} }]);
});

test('the request has the key, the prompt, our channel instructions, the turns and the tools', async () => {
  await wholeReply(model('speaks'), {
    ...llmRequest('It is done.', { channel_instructions: 'Be brief.', model: 'large' }),
    turns: [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ call_id: 'c', name: 'send_digits', arguments: { digits: '1' } }],
      },
      { role: 'tool', call_id: 'c', content: 'sent' },
      { role: 'user', content: 'Hello?' },
    ],
  });
  const { headers, body } = last_request;
  assert.equal(headers.authorization, 'Bearer sk-test');
  assert.equal(body.model, 'large');
  assert.deepEqual(
    body.messages.map(({ role }) => role),
    ['system', 'assistant', 'tool', 'user'],
  );
  assert.match(body.messages[0]!.content!, /dentist.*\n\nBe brief\./);
  assert.equal(body.messages[1]!.content, null);
  assert.deepEqual(body.tools, [{ type: 'function', function: end_call }]);
});

test('F8: tokens that the provider read from its cache and the model that replied are reported', async () => {
  const chunks = await chunksOf(model('uses_a_cache'), llmRequest('Hello?'));
  assert.deepEqual(chunks.at(-1), {
    usage: { input_tokens: 12, output_tokens: 7, cached_input_tokens: 5 },
    model: 'small-1',
  });
});

test('a reply that the model refused or cut is marked', async () => {
  assert.deepEqual(await wholeReply(model('refuses_to_say'), llmRequest('Hello?')), {
    text: 'I cannot help with that.',
    tool_calls: [],
    usage: null,
    stopped: 'refused',
  });
  assert.equal((await wholeReply(model('cut'), llmRequest('Hello?'))).stopped, 'length');
});

test('fields that an endpoint does not know can be left out or renamed', async () => {
  const settings = {
    ...{ base_url: `${url}/speaks/v1`, api_key: null, model: 'small', structured_output: false },
    ...{ include_usage: false, max_tokens_field: 'max_completion_tokens' as const },
  };
  const plain = openAiCompatibleLlm({ agent, settings });
  await wholeReply(plain, llmRequest('Hello?', { max_output_tokens: 40, temperature: 0.2 }));
  const { stream_options, max_completion_tokens, temperature } = last_request.body;
  assert.deepEqual([stream_options, max_completion_tokens, temperature], [undefined, 40, 0.2]);
  assert.equal(plain.capabilities.structured, false);
});

test('a schema becomes strict: all properties are required, and optional ones may be null', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 9, description: 'Full name' },
      pays_on: { type: ['string', 'null'], format: 'date' },
      mood: { enum: ['good', 'bad'] },
      tags: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer', minimum: 1 } } } },
    },
    required: ['name'],
  };
  assert.deepEqual(strictSchema(schema), {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Full name - maxLength: 9' },
      pays_on: { type: ['string', 'null'], description: 'format: date' },
      mood: { anyOf: [{ enum: ['good', 'bad'] }, { type: 'null' }] },
      tags: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          properties: { x: { type: ['integer', 'null'], description: 'minimum: 1' } },
          required: ['x'],
          additionalProperties: false,
        },
      },
    },
    required: ['name', 'pays_on', 'mood', 'tags'],
    additionalProperties: false,
  });
});

test('a refusal is reported with the text of the endpoint', async () => {
  await assert.rejects(wholeReply(model('refuses'), llmRequest('Hello?')), /answered 401.*Incorrect API key/);
});

test('a redirect is not followed', async () => {
  await assert.rejects(wholeReply(model('redirects'), llmRequest('Hello?')), /answered 302/);
});

test('a response over the size limit is a failure', async () => {
  await assert.rejects(wholeReply(model('floods'), llmRequest('Hello?')), LlmFailed);
});

test('no connection is opened to a forbidden address', async () => {
  let connected = 0;
  const strict = guardedAgent({
    policy: addressPolicy({ private_targets: 'deny', require_https: true }),
    connect: () => void connected++,
  });
  const settings = { base_url: `${url}/speaks/v1`, api_key: null, model: 'small' };
  await assert.rejects(
    wholeReply(openAiCompatibleLlm({ agent: strict, settings }), llmRequest('Hello?')),
    (error: LlmFailed) => !error.retryable,
  );
  assert.equal(connected, 0);
  await strict.destroy();
});
