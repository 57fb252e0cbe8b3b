// ElevenLabs, simulated by a local server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { spoken, ttsConformance } from '../conformance.ts';
import type { TtsFailed } from '../tts.ts';
import { elevenLabsDefaults, elevenLabsTts } from './index.ts';

const requests: { path: string; key: unknown; body: { text: string; model_id: string } }[] = [];
const { url } = await standIn(({ request, body }, response) => {
  requests.push({
    path: request.url!,
    key: request.headers['xi-api-key'],
    body: JSON.parse(body.toString()),
  });
  if (request.headers['xi-api-key'] !== 'key')
    return response.writeHead(401).end('{"detail":"invalid_api_key"}');
  if (request.url!.includes('nobody')) return response.writeHead(404).end('{"detail":"voice_not_found"}');
  const sound = Buffer.alloc(2 * 16_000 * 2);
  for (let i = 0; i < sound.length / 2; i++) sound.writeInt16LE(Math.round(8000 * Math.sin(i / 9)), 2 * i);
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  for (let at = 0; at < sound.length; at += 4095) response.write(sound.subarray(at, at + 4095));
  response.end();
});
const agent = loopbackAgent();
const engine = (api_key = 'key') =>
  elevenLabsTts({ agent, settings: { ...elevenLabsDefaults, base_url: url, api_key } });

ttsConformance('elevenlabs', async () => engine());

test('the request has the voice, the model and an uncompressed format', async () => {
  const sound = await spoken(engine(), 'Good morning.', 'my/voice');
  assert.ok(Math.abs(sound.length - 2 * 8000) < 50, `${sound.length} samples for two seconds`);
  const { path, body } = requests.at(-1)!;
  assert.equal(path, '/v1/text-to-speech/my%2Fvoice/stream?output_format=pcm_16000');
  assert.deepEqual(body, { text: 'Good morning.', model_id: 'eleven_flash_v2_5' });
});

test('a wrong key is a failure that is not retryable', async () => {
  await assert.rejects(
    spoken(engine('wrong'), 'Hello.'),
    (error: TtsFailed) => !error.retryable && /401/.test(error.message),
  );
});
