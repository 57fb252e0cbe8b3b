// Speech engines that load slowly, or not at all: what the timeline and the record of the call say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { startTestApp } from '../../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  read,
  timeline,
} from '../../../../../testing/calls.ts';
import { codedStt } from '../../../../../testing/coded-speech.ts';

test('while the engines load, the timeline says preparing; the call continues when they are ready (O8)', async () => {
  const loaded = Promise.withResolvers<void>();
  const stt = { ...codedStt(), ready: () => loaded.promise };
  const { client } = await startTestApp({}, { speech: () => codedSpeech({ stt }) });
  const { id } = await place(client, people.converses, { system_prompt: 'Ask for their name.' });
  const kinds = async () => (await timeline(client, id)).map(({ kind }) => kind);
  await eventually('the timeline says preparing', async () => (await kinds()).includes('preparing'));
  assert.equal((await read(client, id)).status, 'dialing');
  assert.ok(!(await kinds()).includes('placed'));
  loaded.resolve();
  assert.equal((await ended(client, id)).status, 'completed');
});

test('with loaded engines the timeline has no preparing entry (O8)', async () => {
  const { client } = await startTestApp({}, { speech: () => codedSpeech() });
  const { id } = await place(client, people.busy);
  await ended(client, id);
  assert.ok(!(await timeline(client, id)).some(({ kind }) => kind === 'preparing'));
});

test('U12: an inbound call that waits for its engines says preparing; when they fail it ends as failed, and its minutes count', async () => {
  const loaded = Promise.withResolvers<void>();
  const stt = { ...codedStt(), ready: () => loaded.promise };
  const { client } = await startTestApp({}, { speech: () => codedSpeech({ stt }) });
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
  const number = await client.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  await client.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  const { body } = await client.request<{ call: Call }>('POST', '/v1/sandbox/inbound-calls', {
    from: '+14155550123',
    to: number.body.e164,
  });
  const { id } = body.call;
  await eventually('the call is answered', async () => (await read(client, id)).status === 'in_progress');
  await eventually('U12: the timeline says preparing', async () =>
    (await timeline(client, id)).some(({ kind }) => kind === 'preparing'),
  );
  loaded.reject(new Error('the model file is damaged'));
  const call = await ended(client, id);
  assert.deepEqual([call.status, call.end_reason], ['failed', 'setup_error']);
  assert.ok(call.answered_at);
  assert.equal(typeof call.duration_seconds, 'number');
});
