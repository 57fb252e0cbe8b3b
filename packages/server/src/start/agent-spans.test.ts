// What an agent does on a call, in a text and in an email has spans in the trace of the call or message.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { codedSpeech, ended, people } from '../../testing/calls.ts';
import { attributesOf, type CollectedSpan, startCollector } from '../../testing/collector.ts';
import { startMailApp } from '../../testing/mail-app.ts';
import { ana, emailDesk, type TextDesk, textDesk } from '../../testing/message-desks.ts';
import { messageModel } from '../../testing/message-model.ts';
import { deliver, rawMessage } from '../../testing/smtp-client.ts';
import { standIn } from '../../testing/stand-in.ts';
import { readConfig } from '../config/config.ts';
import { sql } from '../platform/db/sql.ts';
import { makeLog } from '../platform/log.ts';
import { startTracing } from './start-traces.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });
const collector = await startCollector();
const tracing = (await startTracing(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, '.'), log))!;
const { db, organization, later, smtp_port } = await startMailApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { tracing, master_keys: [{ id: 'test', key: randomBytes(32) }], speech: () => codedSpeech() },
);

const newTrace = () => randomBytes(16).toString('hex');
const parentOf = (trace_id: string) => `00-${trace_id}-00f067aa0ba902b7-01`;
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);
const durationOf = ({ startTimeUnixNano: from, endTimeUnixNano: to }: CollectedSpan) =>
  Number(BigInt(to) - BigInt(from)) / 1e6;

/** Everything but the ids: no word of a person, no number and no address may be in it. */
function assertAnonymous(spans: readonly CollectedSpan[]): void {
  assert.doesNotMatch(JSON.stringify(spans), /Quite|Private|Goodbye|\+1\d{6}|@|Monday|weather/i);
}

/** A model that says goodbye and hangs up, with the counts of its tokens. */
const phoneModel = () =>
  standIn((_, response) => {
    const event = (data: object) => `data: ${JSON.stringify({ model: 'own-1-2026', ...data })}\n\n`;
    const chunk = (delta: object, finish_reason: string | null = null) =>
      event({ choices: [{ index: 0, delta, finish_reason }] });
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'end_call', arguments: '{}' } };
    const counts = {
      prompt_tokens: 120,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 100 },
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      [
        chunk({ role: 'assistant', content: 'This is Quite Private. Goodbye.' }),
        chunk({ tool_calls: [call] }),
        chunk({}, 'tool_calls'),
        event({ choices: [], usage: counts }),
        'data: [DONE]\n\n',
      ].join(''),
    );
  });

async function callWith(base_url: string, trace_id: string) {
  const of = organization();
  const set = await of.request('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-own-key',
    params: { base_url, model: 'own-1' },
  });
  assert.equal(set.status, 200, set.text);
  const created = await of.request<{ id: string }>(
    'POST',
    '/v1/calls',
    {
      to: people.converses,
      system_prompt: 'You speak for Quite Private.',
      recipient_consent: true,
      summarize: false,
    },
    { traceparent: parentOf(trace_id) },
  );
  assert.equal(created.status, 201, created.text);
  return ended(of, created.body.id);
}

test('F8: turns, model, recognition, synthesis and tools of a call have spans in its trace, without words', async () => {
  const trace_id = newTrace();
  const model = await phoneModel();
  assert.equal((await callWith(`${model.url}/v1`, trace_id)).status, 'completed');
  const names = ['call.turn', 'chat own-1', 'speech.recognize', 'speech.synthesize', 'execute_tool end_call'];
  const spans = await collector.trace(trace_id, ['call.run', ...names], tracing);
  const [run] = named(spans, 'call.run');
  const turns = named(spans, 'call.turn');
  for (const turn of turns) assert.equal(turn.parentSpanId, run!.spanId);
  const speakers = new Set(turns.map((turn) => attributesOf(turn)['parley.speaker']));
  assert.deepEqual([...speakers].sort(), ['agent', 'person']);

  const [chat] = named(spans, 'chat own-1');
  const { 'parley.first_ms': first_ms, ...said } = attributesOf(chat!);
  assert.ok(Number(first_ms) >= 0);
  assert.deepEqual(said, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai-compatible',
    'gen_ai.request.model': 'own-1',
    'gen_ai.response.model': 'own-1-2026',
    'gen_ai.usage.input_tokens': '120',
    'gen_ai.usage.output_tokens': '9',
    'gen_ai.usage.cache_read.input_tokens': '100',
    'gen_ai.response.finish_reasons': ['tool_calls'],
  });
  const agent_turn = turns.find(({ spanId }) => spanId === chat!.parentSpanId);
  assert.equal(agent_turn && attributesOf(agent_turn)['parley.speaker'], 'agent');
  const [tool] = named(spans, 'execute_tool end_call');
  assert.equal(tool!.parentSpanId, agent_turn!.spanId);
  assert.equal(attributesOf(tool!)['gen_ai.tool.name'], 'end_call');
  assert.ok(named(spans, 'speech.synthesize').some((span) => span.parentSpanId === agent_turn!.spanId));
  for (const span of spans) assert.ok(durationOf(span) >= 0, span.name);
  assert.ok(durationOf(agent_turn!) >= durationOf(chat!));
  assertAnonymous(spans);
});

test('F8: a model that fails has a span with the status that it answered', async () => {
  const trace_id = newTrace();
  const broken = await standIn((_, response) => response.writeHead(503).end('Quite Private is overloaded'));
  await callWith(`${broken.url}/v1`, trace_id);
  const spans = await collector.trace(trace_id, ['call.run', 'chat own-1', 'call.turn'], tracing);
  for (const chat of named(spans, 'chat own-1')) {
    assert.equal(attributesOf(chat)['error.type'], '503');
    assert.equal(chat.status.code, 2);
  }
  assertAnonymous(spans);
});

const model = await messageModel(() => 'Quite Private will call you on Monday.');

async function answered(trace_id: string, message: string) {
  const names = ['invoke_agent', 'chat test-1'];
  const spans = await collector.trace(trace_id, names, tracing);
  const [agent] = named(spans, 'invoke_agent');
  const [chat] = named(spans, 'chat test-1');
  assert.equal(chat!.parentSpanId, agent!.spanId);
  assert.deepEqual(
    [attributesOf(agent!)['parley.channel'], attributesOf(agent!)['parley.outcome']],
    [message, 'answered'],
  );
  assert.deepEqual(attributesOf(chat!)['gen_ai.response.finish_reasons'], ['stop']);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  assert.ok(ids.has(agent!.parentSpanId!), 'it is below the job of the trace');
  assertAnonymous(spans);
}

test('F8: the answer of an agent to a text is in the trace of the text', async () => {
  const desk: TextDesk = await textDesk(model, organization());
  const trace_id = newTrace();
  const body = { from: ana.phone, to: desk.e164, body: 'How is the weather?' };
  const received = await desk.of.request<{ id: string }>('POST', '/v1/sandbox/inbound-sms', body, {
    traceparent: parentOf(trace_id),
  });
  assert.equal(received.status, 201, received.text);
  await later(4);
  await answered(trace_id, 'sms');
  const [stored] = await db.rows<{ traceparent: string }>(
    sql`select traceparent from events where type = 'sms.received' and resource_id = ${received.body.id}`,
  );
  assert.ok(stored!.traceparent.includes(trace_id), 'its event has the trace too');
});

test('F8: the answer of an agent to an email is in the trace that its receipt began', async () => {
  const desk = await emailDesk(model, organization());
  await deliver(smtp_port, { to: [desk.own], raw: rawMessage({ to: desk.own, subject: 'The weather' }) });
  await later(31);
  const receipt = await collector.find('mail.receive', tracing);
  await answered(receipt.traceId, 'email');
});
