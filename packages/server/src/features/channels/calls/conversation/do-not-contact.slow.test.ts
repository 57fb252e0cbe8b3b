// A person says in a call that they do not want to be contacted: the agent records it, and calls and texts stop.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { codedSpeech, ended, people, place, transcript } from '../../../../../testing/calls.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { standIn } from '../../../../../testing/stand-in.ts';

const { organization } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);

const answer = (response: ServerResponse, content: string, name: string) => {
  const call = { index: 0, id: `call_${name}`, type: 'function', function: { name, arguments: '{}' } };
  const chunks = [{ role: 'assistant', content }, { tool_calls: [call] }].map((delta) => ({
    choices: [{ index: 0, delta, finish_reason: null }],
  }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    [...chunks.map((chunk) => JSON.stringify(chunk)), JSON.stringify(end), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  );
};

test('the tool do_not_contact stops calls and texts to the number', async () => {
  const results: unknown[] = [];
  const model = await standIn(({ body }, response) => {
    const { messages } = JSON.parse(String(body)) as { messages: { role: string; content: unknown }[] };
    const last = messages.at(-1)!;
    if (last.role !== 'tool') return answer(response, 'I understand.', 'do_not_contact');
    results.push(last.content);
    answer(response, 'Goodbye.', 'end_call');
  });
  const own = organization();
  const provider = { provider: 'openai-compatible', params: { base_url: `${model.url}/v1`, model: 'm' } };
  const set = await own.request('PUT', '/v1/providers/llm', { api_key: 'sk-own-key', ...provider });
  assert.equal(set.status, 200, set.text);
  const { id, conversation_id } = await place(own, people.converses);
  assert.equal((await ended(own, id)).status, 'completed');
  assert.match(String(results[0]), /^recorded/);
  const to = people.converses;
  const again = await own.request('POST', '/v1/calls', { to, recipient_consent: true });
  assert.deepEqual([again.status, again.body.code], [422, 'recipient_suppressed']);
  const listed = await own.request<{ items: { recipient: string; source: string }[] }>(
    'GET',
    '/v1/sms/suppressions',
  );
  assert.deepEqual(
    listed.body.items.map(({ recipient, source }) => [recipient, source]),
    [[to, 'revocation']],
  );
  const log = await own.request<{ items: { data: { revoked_by: { quote: string } } }[] }>(
    'GET',
    '/v1/events?type=consent.revoked',
  );
  const { quote, ...revoked_by } = log.body.items[0]!.data.revoked_by;
  assert.deepEqual(revoked_by, { kind: 'agent', item_id: id, conversation_id });
  const person_turns = (await transcript(own, id)).filter(({ speaker }) => speaker === 'person');
  assert.ok(
    person_turns.some(({ text }) => text === quote),
    quote,
  );
});
