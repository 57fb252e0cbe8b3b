// Calls with engines that an organization configured or a request named, and what happens when those engines fail.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  people,
  place,
  said,
  timeline,
  transcript,
} from '../../../../../testing/calls.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { standIn } from '../../../../../testing/stand-in.ts';

const { organization } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  // Slower than in other tests: engines are reached over HTTP, and their deadlines run on this clock.
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);

const configure = async (of: Client, layer: string, body: Record<string, unknown>) => {
  const response = await of.request('PUT', `/v1/providers/${layer}`, { api_key: 'sk-own-key', ...body });
  assert.equal(response.status, 200, response.text);
};
/** A chat completion that says this text and hangs up. */
const completion = (response: ServerResponse, text: string) => {
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'end_call', arguments: '{}' } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    chunk({ role: 'assistant', content: text }) +
      chunk({ tool_calls: [call] }) +
      chunk({}, 'tool_calls') +
      'data: [DONE]\n\n',
  );
};

describe('the providers of an organization', { timeout: 600_000 }, () => {
  test('the model of an organization answers its calls, with its key and model name, and no other calls', async () => {
    const requests: { key: string | undefined; model: string }[] = [];
    const model = await standIn(({ request, body }, response) => {
      requests.push({ key: request.headers.authorization, model: JSON.parse(String(body)).model });
      completion(response, 'I am the model of this organization. Goodbye.');
    });
    const [own, other] = [organization(), organization()];
    await configure(own, 'llm', {
      provider: 'openai-compatible',
      params: { base_url: `${model.url}/v1`, model: 'own-1' },
    });
    const { id } = await place(own, people.converses, { summarize: false });
    assert.equal((await ended(own, id)).status, 'completed');
    assert.match(said(await transcript(own, id), 'agent'), /I am the model of this organization\./);
    assert.deepEqual(requests[0], { key: 'Bearer sk-own-key', model: 'own-1' });
    const count = requests.length;
    const theirs = await place(other, people.converses, { system_prompt: 'Ask for their name.' });
    await ended(other, theirs.id);
    assert.equal(requests.length, count);
  });

  test('the recognition of an organization is used for its calls', async () => {
    const recognizer = await standIn((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ text: 'I was recognized by my own provider, goodbye.' }));
    });
    const own = organization();
    await configure(own, 'stt', {
      provider: 'openai-compatible',
      params: { base_url: `${recognizer.url}/v1` },
    });
    const { id } = await place(own, people.converses);
    await ended(own, id);
    assert.match(said(await transcript(own, id), 'person'), /recognized by my own provider/);
  });

  for (const layer of ['llm', 'stt', 'tts'] as const) {
    test(`a ${layer} that fails with fallback_enabled is replaced during the call`, async () => {
      const broken = await standIn((_, response) => {
        response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"down"}');
      });
      const own = organization();
      await configure(own, layer, {
        provider: 'openai-compatible',
        params: { base_url: `${broken.url}/v1` },
        fallback_enabled: true,
      });
      const { id } = await place(own, people.converses, { system_prompt: 'Ask for their name.' });
      const call = await ended(own, id);
      const entries = await timeline(own, id);
      assert.deepEqual(
        [call.status, call.end_reason],
        ['completed', 'agent_hangup'],
        JSON.stringify(entries),
      );
      const failures = entries.filter(({ kind }) => kind === 'went_wrong');
      assert.deepEqual(
        failures.map(({ detail }) => detail.layer),
        [layer],
      );
      assert.match(String(failures[0]!.detail.detail), /took over/);
    });

    test(`a ${layer} that fails without fallback ends the call as failed`, async () => {
      const broken = await standIn((_, response) => {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no"}');
      });
      const own = organization();
      await configure(own, layer, {
        provider: 'openai-compatible',
        params: { base_url: `${broken.url}/v1` },
      });
      const { id } = await place(own, people.converses);
      const call = await ended(own, id);
      assert.deepEqual(
        [call.status, call.end_reason],
        ['failed', layer === 'llm' ? 'setup_error' : 'media_failure'],
      );
    });
  }
});

describe('a model named in the request', { timeout: 600_000 }, () => {
  const faults: Record<string, (response: ServerResponse) => void> = {
    'refuses the key': (response) => void response.writeHead(401).end('{}'),
    'never answers': () => {},
    'hangs in the middle of its response': (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n'),
    'sends garbage': (response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: <html>{{{\n\n'),
    'sends garbage as JSON': (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":"none"}'),
    'closes the connection': (response) => void response.destroy(),
  };
  for (const [what, respond] of Object.entries(faults)) {
    test(`that ${what}: the agent apologizes, and the call fails with the reason`, async () => {
      const model = await standIn((_, response) => respond(response));
      const own = organization();
      const { id } = await place(own, people.converses, {
        llm: { base_url: `${model.url}/v1`, api_key: 'sk-x', model: 'm' },
      });
      const call = await ended(own, id);
      assert.deepEqual([call.status, call.end_reason], ['failed', 'setup_error']);
      assert.match(said(await transcript(own, id), 'agent'), /I am sorry, I have a technical problem/);
      const last = (await timeline(own, id)).at(-1)!;
      assert.match(String(last.detail.detail), /^llm: ./);
    });
  }
});
