// Cartesia, simulated by a local server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { spoken, ttsConformance } from '../conformance.ts';
import type { TtsFailed } from '../tts.ts';
import { cartesiaDefaults, cartesiaTts } from './index.ts';

type Body = {
  transcript: string;
  voice: { mode: string; id: string };
  output_format: { sample_rate: number };
};
const requests: { path: string; version: unknown; body: Body }[] = [];
const { url } = await standIn(({ request, body: bytes }, response) => {
  const body = JSON.parse(bytes.toString()) as Body;
  requests.push({ path: request.url!, version: request.headers['cartesia-version'], body });
  if (request.headers['x-api-key'] !== 'key') return response.writeHead(401).end('Unauthorized');
  if (body.voice.id === 'nobody') return response.writeHead(404).end('voice not found');
  const sound = Buffer.alloc(2 * body.output_format.sample_rate * 2);
  for (let i = 0; i < sound.length / 2; i++) sound.writeInt16LE(Math.round(8000 * Math.sin(i / 9)), 2 * i);
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  // An odd length: a sample may be split between two chunks.
  for (let at = 0; at < sound.length; at += 4095) response.write(sound.subarray(at, at + 4095));
  response.end();
});
const agent = loopbackAgent();
const engine = (api_key = 'key') =>
  cartesiaTts({ agent, settings: { ...cartesiaDefaults, base_url: `${url}/`, api_key } });

ttsConformance('cartesia', async () => engine());

test('the request has the voice, the language and a raw format of 8 kHz', async () => {
  const sound = await spoken(engine(), 'Good morning.', 'my-voice');
  assert.ok(Math.abs(sound.length - 2 * 8000) < 5, `${sound.length} samples for two seconds`);
  const { path, version, body } = requests.at(-1)!;
  assert.deepEqual([path, version], ['/tts/bytes', '2026-03-01']);
  assert.deepEqual(body, {
    model_id: 'sonic-3',
    transcript: 'Good morning.',
    voice: { mode: 'id', id: 'my-voice' },
    language: 'en',
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8000 },
  });
});

test('a wrong key is a failure that is not retryable', async () => {
  await assert.rejects(
    spoken(engine('wrong'), 'Hello.'),
    (error: TtsFailed) => !error.retryable && /401/.test(error.message),
  );
});
