// A voice behind the audio/speech protocol, simulated by a local server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { spoken, ttsConformance } from '../conformance.ts';
import type { TtsFailed } from '../tts.ts';
import { openAiCompatibleTts } from './index.ts';

const voices: string[] = [];
let last_body: unknown = null;
const { url } = await standIn(({ request, body }, response) => {
  const asked = JSON.parse(body.toString()) as { voice: string };
  last_body = asked;
  voices.push(asked.voice);
  if (request.headers.authorization !== 'Bearer key') return response.writeHead(429).end('slow down');
  if (/nobody|unknown-voice/.test(body.toString())) return response.writeHead(400).end('unknown voice');
  const sound = Buffer.alloc(2 * 24_000 * 1.5);
  for (let i = 0; i < sound.length / 2; i++) sound.writeInt16LE(Math.round(8000 * Math.sin(i / 9)), 2 * i);
  response.writeHead(200).end(sound);
});
const agent = loopbackAgent();
const engine = (api_key = 'key') =>
  openAiCompatibleTts({
    agent,
    settings: { base_url: `${url}/v1`, api_key, model: 'tts-1', voice: 'alloy' },
  });

ttsConformance('openai-compatible', async () => engine());

test('raw samples are requested and converted to 8 kHz', async () => {
  const sound = await spoken(engine(), 'Good morning.');
  assert.ok(Math.abs(sound.length - 1.5 * 8000) < 50, `${sound.length} samples for a second and a half`);
  assert.deepEqual(last_body, {
    model: 'tts-1',
    voice: 'alloy',
    input: 'Good morning.',
    response_format: 'pcm',
  });
});

test('a voice that the vendor does not know is requested once, not for every clause', async () => {
  const tts = engine();
  const from = voices.length;
  for (const text of ['One.', 'Two.', 'Three.'])
    for await (const _ of tts.speak({
      text,
      voice: 'unknown-voice',
      language: 'en',
      signal: new AbortController().signal,
    }));
  assert.deepEqual(voices.slice(from), ['unknown-voice', 'alloy', 'alloy', 'alloy']);
});

test('an overload is a retryable failure', async () => {
  await assert.rejects(
    spoken(engine('other'), 'Hello.'),
    (error: TtsFailed) => error.retryable && /429/.test(error.message),
  );
});
