// Recognition behind the audio/transcriptions protocol, simulated by a local server that reads the uploaded file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { sttConformance } from '../conformance.ts';
import type { SttFailed } from '../stt.ts';
import { openAiCompatibleStt } from './index.ts';

// The stand-in distinguishes the turns by their volume.
const loud = new Int16Array(8000).fill(9000);
const quiet = new Int16Array(8000).fill(900);
let requests = 0;

const { url } = await standIn(async ({ request, body }, response) => {
  requests++;
  if (request.headers.authorization === 'Bearer wrong') return response.writeHead(401).end('no');
  if (request.headers.authorization === 'Bearer garbage') return response.writeHead(200).end('<html>');
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': request.headers['content-type']! },
  }).formData();
  const file = Buffer.from(await (form.get('file') as File).arrayBuffer());
  assert.equal(form.get('model'), 'whisper-1');
  assert.equal(form.get('language'), 'en');
  assert.equal(file.toString('latin1', 0, 4), 'RIFF');
  assert.equal(file.readUInt32LE(40), file.length - 44);
  const text = file.readInt16LE(44) === 9000 ? ' An appointment, please. ' : 'My name is Thomas.';
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text }));
});
const agent = loopbackAgent();
const engine = (api_key = 'key') =>
  openAiCompatibleStt({ agent, settings: { base_url: `${url}/v1`, api_key, model: 'whisper-1' } });

sttConformance('openai-compatible', async () => ({
  stt: engine(),
  turns: { first: { pcm: loud, text: /appointment/ }, second: { pcm: quiet, text: /Thomas/ } },
}));

test('a second request for the same text causes no second upload', async () => {
  const session = engine().open({ language: 'en' });
  session.push(loud);
  const before = requests;
  await session.text();
  await session.text();
  assert.equal(requests, before + 1);
});

test('a wrong key and a malformed response are failures that are not retryable', async () => {
  for (const key of ['wrong', 'garbage']) {
    const session = engine(key).open({ language: 'en' });
    session.push(loud);
    await assert.rejects(
      session.text(),
      (error: SttFailed) => error.name === 'SttFailed' && !error.retryable,
    );
  }
});
