// The result of a call over HTTP: made after the end, in the event, in the conversation, and made again on request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { EventEnvelope } from '@parley/contract/event';
import type { Wait } from '@parley/contract/inbox/waits';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { codedSpeech, ended, people, place, read } from '../../../../../testing/calls.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { type Llm, LlmFailed } from '../../../../providers/llm/llm.ts';
import { offlineLlm } from '../../../../providers/llm/offline/index.ts';

/** Speaks and reports like the offline model, except where a test wants something else. */
const offline = offlineLlm();
let report: Llm['reply'] | null = null;
const llm: Llm = {
  ...offline,
  reply: (request) => (request.tool_choice && report ? report : offline.reply)(request),
};
const { client, organization } = await startTestApp({}, { speech: () => codedSpeech({ llm }) });

const name_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const settled = async (of: Client, id: string): Promise<Call> => {
  await ended(of, id);
  return waitFor('the result', async () => {
    const call = await read(of, id, '?wait_seconds=55&wait_for=result');
    return call.result_status === 'pending' ? null : call;
  });
};
const eventsOf = async (of: Client, call: Call, type: string) =>
  (await of.request<{ items: EventEnvelope[] }>('GET', `/v1/events?type=${type}&resource_id=${call.id}`)).body
    .items;

test('a call with a schema ends with data, a summary and evidence', async () => {
  const own = organization();
  const { id, ...created } = await place(own, people.converses, {
    system_prompt: 'Ask for their name.',
    result_schema: name_schema,
    metadata: { order: 7 },
  });
  assert.deepEqual(
    [created.result_status, created.result, created.result_schema],
    ['none', null, name_schema],
  );
  const call = await settled(own, id);
  assert.deepEqual(
    [call.result_status, call.result, call.result_error, call.result_engine, call.success],
    ['ready', { name: 'Thomas Baker' }, null, 'offline', true],
  );
  assert.match(call.summary!, /Could you tell me your name\? Answer: .*Thomas Baker/);
  const { turns } = (await own.request<{ turns: { text: string }[] }>('GET', `/v1/calls/${id}/transcript`))
    .body;
  assert.match(turns[call.evidence!.name![0]! - 1]!.text, /Thomas Baker/);

  const [end] = await eventsOf(own, call, 'call.completed');
  assert.equal(end!.data.result_status, 'pending');
  const [ready] = await eventsOf(own, call, 'call.result_ready');
  assert.deepEqual(
    [ready!.data.result, ready!.data.metadata, ready!.data.summary],
    [call.result, { order: 7 }, call.summary],
  );

  const item = await waitFor('the call in its conversation', async () => {
    const { items } = (await own.request<{ items: { id: string }[] }>('GET', '/v1/conversations')).body;
    if (items.length === 0) return null;
    const list = await own.request<{ items: { call: { summary: string } | null }[] }>(
      'GET',
      `/v1/conversations/${items[0]!.id}/items`,
    );
    return list.body.items[0] ?? null;
  });
  assert.equal(item.call!.summary, call.summary);
});

test('a wait ends with the result of a call, or with its end when it has none', async () => {
  const own = organization();
  const resultOf = async (to: string) => {
    const { id } = await place(own, to, { system_prompt: 'Ask for their name.' });
    const any_of = [{ kind: 'result', noun: 'call', id }];
    const { body: wait } = await own.request<Wait>('POST', '/v1/waits', { any_of });
    await settled(own, id);
    return waitFor('the end of the wait', async () => {
      const { body } = await own.request<Wait>('GET', `/v1/waits/${wait.id}?wait_seconds=20`);
      const record = body.matched?.object.record as Call | undefined;
      return body.status === 'resolved' ? [body.matched?.kind, record?.result_status] : null;
    });
  };
  assert.deepEqual(await resultOf(people.converses), ['result', 'ready']);
  assert.deepEqual(await resultOf(people.busy), ['result', 'skipped']);
});

test('a call that nobody answered has no result, and its end says so', async () => {
  const own = organization();
  const call = await settled(own, (await place(own, people.busy, { result_schema: name_schema })).id);
  assert.deepEqual([call.result_status, call.result], ['skipped', null]);
  const [end] = await eventsOf(own, call, 'call.busy');
  assert.equal(end!.data.result_status, 'skipped');
  assert.deepEqual(await eventsOf(own, call, 'call.result_ready'), []);
});

test('an agent may want no result; it can be made later, also with another schema', async () => {
  const own = organization();
  const agent = await own.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Quiet',
    system_prompt: 'Ask what it costs.',
    summarize: false,
  });
  const placed = await place(own, people.converses, { agent_id: agent.body.id });
  const again = (body: object) =>
    own.request<Call & { code?: string }>('POST', `/v1/calls/${placed.id}/result`, body);
  assert.deepEqual((await again({})).body.code, 'call_not_ended');
  assert.equal((await settled(own, placed.id)).result_status, 'none');
  const schema = { type: 'object', properties: { costs: { type: 'number', description: 'What it costs' } } };
  assert.equal((await again({ result_schema: { ...schema, $ref: 'x' } })).body.code, 'schema_not_supported');
  const requested = await again({ result_schema: schema });
  assert.deepEqual([requested.status, requested.body.result_status], [200, 'pending']);
  assert.deepEqual(requested.body.result_schema, schema);
  const call = await settled(own, placed.id);
  assert.deepEqual([call.result, call.summary], [{ costs: 20 }, null]);
});

test('a model that fails for a moment is asked again; one that refuses the key makes the result fail', async () => {
  const own = organization();
  let requests = 0;
  report = async function* (request) {
    requests++;
    if (requests === 1) throw new LlmFailed('overloaded', { retryable: true });
    yield* offline.reply(request);
  };
  const call = await place(own, people.converses, { system_prompt: 'Ask for their name.' });
  assert.equal((await settled(own, call.id)).result_status, 'ready');
  assert.equal(requests, 2);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  // biome-ignore lint/correctness/useYield: it fails before the first chunk
  report = async function* () {
    await released;
    throw new LlmFailed('wrong key', { retryable: false });
  };
  const again = () => own.request<{ code: string }>('POST', `/v1/calls/${call.id}/result`, {});
  assert.equal((await again()).status, 200);
  assert.equal((await again()).body.code, 'result_pending');
  release();
  const failed = await settled(own, call.id);
  assert.deepEqual([failed.result_status, failed.result_error], ['failed', 'llm_unavailable']);
  const events = await eventsOf(own, failed, 'call.result_ready');
  assert.deepEqual(
    events.map(({ data }) => data.result_error),
    ['llm_unavailable', null],
  );
  report = null;
});

test('a schema that is not supported is refused with the path of each problem', async () => {
  const response = await client.request<{ code: string; errors: { path: string }[] }>('POST', '/v1/calls', {
    to: people.converses,
    recipient_consent: true,
    result_schema: { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
  });
  assert.deepEqual(
    [response.status, response.body.code, response.body.errors[0]!.path],
    [422, 'schema_not_supported', 'body.result_schema.properties.a.pattern'],
  );
});
