// Call audio over a carrier's WebSocket: the conformance suite of the media port, and tokens that work once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMediaServer } from '../../../testing/carriers/media-server.ts';
import type { CarrierStream, StreamMessages } from '../../../testing/carriers/media-stream.ts';
import { openCarrierStream } from '../../../testing/carriers/media-stream.ts';
import { testVoice } from '../../../testing/carriers/voice.ts';
import { pause, waitFor } from '../../../testing/wait-for.ts';
import { mediaSessionConformance } from '../media/conformance.ts';
import { realTimeClock } from '../media/media-clock.ts';
import { mediaSockets } from './media-sockets.ts';

const clock = realTimeClock();
const messages: StreamMessages = {
  connected: { event: 'connected' },
  start: { event: 'start' },
  media: (payload, _, timestamp_ms) => ({
    event: 'media',
    media: { track: 'inbound', payload, timestamp: String(timestamp_ms) },
  }),
  dtmf: (digit) => ({ event: 'dtmf', dtmf: { digit } }),
  mark: (name) => ({ event: 'mark', mark: { name } }),
  stop: { event: 'stop' },
  problemIn: () => null,
};

function openSockets(hang_ups: string[] = []) {
  const voice = testVoice('', clock);
  const sockets = mediaSockets({
    ...voice,
    carrier: 'test',
    opening: (_, query) => ({
      token: query.get('token') ?? '',
      is_readable: true,
      dialect: {
        media: (payload) => ({ event: 'media', media: { payload } }),
        mark: (name) => ({ event: 'mark', mark: { name } }),
        clear: () => ({ event: 'clear' }),
      },
    }),
    sendDigits: null,
    hangUp: (id) => void hang_ups.push(id),
  });
  return { sockets, warnings: voice.warnings };
}

async function openLine(hang_ups: string[] = []) {
  const { sockets, warnings } = openSockets(hang_ups);
  const server = await startMediaServer(sockets.openMedia);
  const expected = (await sockets.expect('call', 30))!;
  expected.named('theirs');
  const far: CarrierStream = await openCarrierStream({
    url: `${server.url}?token=${expected.token}`,
    clock,
    messages,
  });
  const session = (await sockets.media('theirs'))!;
  return { sockets, warnings, server, token: expected.token, far, session };
}

mediaSessionConformance('carrier stream', async () => {
  const { session, far, server } = await openLine();
  return {
    session,
    far,
    pass: (ms) => pause(ms, 'audio takes its time'),
    done: server.close,
  };
});

test('a barge-in is sent to the carrier as clear, and audio that was not played is not counted', async () => {
  const { session, far, server } = await openLine();
  session.write(new Int16Array(16_000).fill(8000));
  const mark = session.mark();
  await waitFor('ten loud frames', () => far.levels().filter((level) => level > 1000).length >= 10);
  session.clear();
  assert.equal(await mark, 'cleared');
  await waitFor('the clear', () => far.clears.count > 0);
  assert.ok(far.clears.dropped_ms > 0 && far.clears.dropped_ms <= 400, `${far.clears.dropped_ms} ms dropped`);
  assert.ok(session.played_ms() < 1000, `${session.played_ms()} ms counted`);
  session.close();
  await server.close();
});

test('a token that is wrong, missing or used closes the socket and is logged', async () => {
  const { server, token, warnings, session } = await openLine();
  for (const wrong of [`?token=${token}`, '?token=guess', '']) {
    const intruder = await openCarrierStream({ url: server.url + wrong, clock, messages });
    assert.deepEqual(await intruder.closed, { code: 1008, reason: 'wrong or used token' });
  }
  assert.equal(warnings.length, 3);
  let is_closed = false;
  void session.closed.then(() => {
    is_closed = true;
  });
  await new Promise(setImmediate);
  assert.equal(is_closed, false, 'the call itself must go on');
  session.close();
  await server.close();
});

test('closing the session hangs up at the carrier; so does a broken socket, which is a failure', async () => {
  const hang_ups: string[] = [];
  const { session, server } = await openLine(hang_ups);
  session.close();
  assert.deepEqual(hang_ups, ['theirs']);
  await server.close();

  const broken = await openLine(hang_ups);
  broken.far.breakOff();
  assert.deepEqual(await broken.session.closed, {
    by: 'failure',
    detail: 'the media socket was closed (1006)',
  });
  assert.deepEqual(hang_ups, ['theirs', 'theirs']);
  broken.session.close();
  assert.equal(hang_ups.length, 2);
  await broken.server.close();
});

test('a call that ends before its audio connects settles with null, and its token is refused', async () => {
  const { sockets } = openSockets();
  const server = await startMediaServer(sockets.openMedia);
  const expected = (await sockets.expect('call', 30))!;
  expected.named('theirs');
  const media = sockets.media('theirs');
  sockets.ended({ provider_call_id: 'theirs', call_id: null });
  assert.equal(await media, null);
  const late = await openCarrierStream({ url: `${server.url}?token=${expected.token}`, clock, messages });
  assert.equal((await late.closed).code, 1008);
  await server.close();
});

test('malformed messages on the socket are ignored', async () => {
  const { session, far, server } = await openLine();
  for (const text of [
    '',
    '[]',
    '{',
    '{"event":"media"}',
    '{"event":"media","media":{"payload":7}}',
    '{"event":"mark"}',
  ])
    far.raw(text);
  far.say(new Int16Array(1600).fill(8000));
  await new Promise<void>((received) =>
    session.onFrame((pcm) => {
      if (pcm[0]! > 7000) received();
    }),
  );
  session.close();
  await server.close();
});
