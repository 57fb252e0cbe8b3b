// Sounds that a relay names: only from allowed addresses, of a limited size, and only WAV files.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { addressPolicy } from '../../../platform/egress/address-policy.ts';
import { guardedAgent } from '../../../platform/egress/guarded-agent.ts';
import { wavHeader } from '../../../protocols/audio/wav.ts';
import { soundConverter } from './convert-sound.ts';
import { loadSound } from './load-sound.ts';

const wav = (samples: number[], rate_hz = 8000): Buffer => {
  const pcm = Buffer.from(Int16Array.from(samples).buffer);
  return Buffer.concat([wavHeader({ rate_hz, channels: 1, data_bytes: pcm.length }), pcm]);
};
const asked: string[] = [];
const { url } = await standIn(({ request }, response) => {
  const path = request.url!;
  asked.push(path);
  if (path === '/short.wav') return void response.end(wav([0, 1000, -1000]));
  if (path === '/wide.wav')
    return void response.end(
      wav(
        Array.from({ length: 160 }, () => 500),
        16_000,
      ),
    );
  if (path === '/large.wav')
    return void response.end(Buffer.concat([wav([]), Buffer.alloc(5 * 1024 * 1024)]));
  if (path === '/song.mp3') return void response.setHeader('content-type', 'audio/mpeg').end('ID3 song');
  if (path === '/moved.wav') return void response.writeHead(302, { location: '/short.wav' }).end();
  response.writeHead(404).end();
});
const allowed = {
  policy: addressPolicy({ private_targets: ['127.0.0.0/8'], require_https: false }),
  agent: loopbackAgent(),
};
const sounds = soundConverter();
after(() => sounds.close());
const { signal } = new AbortController();
const load = (path: string) => loadSound({ ...allowed, sounds }, `${url}${path}`, signal);

test('a WAV file becomes samples of the line', async () => {
  assert.deepEqual([...(await load('/short.wav'))], [0, 1000, -1000]);
  assert.equal((await load('/wide.wav')).length, 80);
});

test('other work goes on while a long sound at an unusual rate is converted', async () => {
  const music = wav(
    Array.from({ length: 2_000_000 }, (_, n) => n % 1000),
    47_999,
  );
  const started_ms = performance.now();
  let [last_ms, longest_pause_ms] = [started_ms, 0];
  const look = () => {
    const now_ms = performance.now();
    longest_pause_ms = Math.max(longest_pause_ms, now_ms - last_ms);
    last_ms = now_ms;
  };
  const looking = setInterval(look, 1);
  const pcm = await sounds.convert(music, signal);
  clearInterval(looking);
  look();
  assert.equal(pcm?.length, Math.round((2_000_000 * 8000) / 47_999));
  const took_ms = last_ms - started_ms;
  assert.ok(longest_pause_ms < took_ms / 3, `${longest_pause_ms} of ${took_ms} ms`);
});

test('a file of more than 5 MiB, another type, a redirect and a missing file are refused', async () => {
  await assert.rejects(load('/large.wav'), /more than 5 MiB/);
  await assert.rejects(load('/song.mp3'), /not a WAV file/);
  await assert.rejects(load('/moved.wav'), /answered with 302/);
  await assert.rejects(load('/none.wav'), /answered with 404/);
});

test('an address that may not be called is refused before and at the connection', async () => {
  const policy = addressPolicy({ private_targets: 'deny', require_https: false });
  const agent = guardedAgent({ policy });
  const before = asked.length;
  for (const source of [`${url}/short.wav`, 'file:///etc/passwd', 'not a url']) {
    await assert.rejects(loadSound({ policy, agent, sounds }, source, signal), /may not be called/);
  }
  // A name is known to be private only when it is resolved.
  const { port } = new URL(url);
  await assert.rejects(loadSound({ policy, agent, sounds }, `http://localhost:${port}/short.wav`, signal));
  await agent.destroy();
  assert.equal(asked.length, before);
});
