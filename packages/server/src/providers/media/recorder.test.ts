// A recording contains both sides, each on its own channel and at the right time.
import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { steppedClock } from '../../../testing/stepped-clock.ts';
import { type MediaSession, samplesOf } from './media-session.ts';
import { memoryCall } from './memory-session.ts';
import { recordCall } from './recorder.ts';

function recorded() {
  const clock = steppedClock();
  const call = memoryCall({ clock });
  const chunks: Buffer[] = [];
  const to = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk));
  const recording = recordCall({ clock, session: call.caller, to });
  return { clock, call, recording, bytes: () => Buffer.concat(chunks) };
}
const sound = (ms: number, level: number) => new Int16Array(samplesOf(ms)).fill(level);
/** The parts of one channel with audio, as [from, to] in ms. */
function audioParts(wav: Buffer, channel: 0 | 1, level: number): [number, number][] {
  const found: [number, number][] = [];
  for (let i = 0; 44 + 4 * i < wav.length; i++) {
    if (wav.readInt16LE(44 + 4 * i + 2 * channel) !== level) continue;
    const last = found.at(-1);
    if (last && i / 8 - last[1] < 1) last[1] = i / 8;
    else found.push([i / 8, i / 8]);
  }
  return found.map(([from, to]) => [Math.round(from / 20) * 20, Math.round(to / 20) * 20]);
}

test('each side has its own channel, and pauses stay as long as they were', async () => {
  const { clock, call, recording, bytes } = recorded();
  const received: number[] = [];
  recording.session.onFrame((pcm) => received.push(pcm[0]!));
  await clock.pass(500);
  call.callee.write(sound(300, 1000));
  await clock.pass(1000);
  recording.session.write(sound(400, 2000));
  await clock.pass(200);
  call.callee.write(sound(100, 1000));
  await clock.pass(1300);
  recording.session.close();
  const { duration_ms, size_bytes, header } = await recording.finish();

  const wav = bytes();
  assert.equal(wav.toString('latin1', 0, 4), 'RIFF');
  assert.deepEqual([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)], [2, 8000, 16]);
  assert.deepEqual(audioParts(wav, 0, 1000), [
    [500, 800],
    [1700, 1800],
  ]);
  assert.deepEqual(audioParts(wav, 1, 2000), [[1500, 1900]]);
  assert.ok(Math.abs(duration_ms - 3000) <= 40, `${duration_ms}`);
  assert.equal(size_bytes, wav.length);
  assert.equal(header.readUInt32LE(40), wav.length - 44);
  assert.ok(received.includes(1000), 'the listener of the session still gets frames');
});

test('a frame is recorded correctly although its buffer is reused', async () => {
  const clock = steppedClock();
  const { caller, callee } = memoryCall({ clock });
  const chunks: Buffer[] = [];
  const to = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk));
  const reusing: MediaSession = {
    ...caller,
    onFrame: (listener) =>
      caller.onFrame((pcm) => {
        const buffer = pcm.slice();
        listener(buffer);
        buffer.fill(-1);
      }),
  };
  callee.write(sound(200, 1000));
  await clock.pass(200);
  const recording = recordCall({ clock, session: reusing, to });
  callee.write(sound(200, 1000));
  await clock.pass(1000);
  const received: number[] = [];
  recording.session.onFrame((pcm) => received.push(pcm[0]!));
  recording.session.close();
  await recording.finish();
  assert.deepEqual(audioParts(Buffer.concat(chunks), 0, 1000), [[0, 400]]);
  assert.equal(received.filter((sample) => sample === 1000).length, 20);
});

test('audio that was dropped by a clear is not in the recording', async () => {
  const { clock, recording, bytes } = recorded();
  recording.session.write(sound(2000, 2000));
  await clock.pass(300);
  recording.session.clear();
  await clock.pass(700);
  recording.session.close();
  await recording.finish();
  assert.deepEqual(audioParts(bytes(), 1, 2000), [[0, 300]]);
});

test('the recording is written while the call lasts', async () => {
  const { clock, bytes } = recorded();
  await clock.pass(5000);
  assert.ok(bytes().length > 4000 * 32);
});

test('a failing store is reported at the end and does not disturb the call', async () => {
  const clock = steppedClock();
  const { caller } = memoryCall({ clock });
  const to = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) });
  const recording = recordCall({ clock, session: caller, to });
  let frames = 0;
  recording.session.onFrame(() => frames++);
  await clock.pass(1000);
  assert.equal(frames, 50);
  await assert.rejects(recording.finish(), /disk full/);
});

test('a store that hangs does not fill the memory', async () => {
  const clock = steppedClock();
  const { caller } = memoryCall({ clock });
  const to = new Writable({ highWaterMark: 1, write: () => {} });
  const recording = recordCall({ clock, session: caller, to });
  await clock.pass(200_000);
  assert.ok(to.writableLength < 5 * 1024 * 1024, `${to.writableLength} bytes`);
  await assert.rejects(recording.finish(), /in time/);
});
