// Audio of a call that arrives at another process than its leader: relayed both ways, and closed when either end fails.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import WebSocket, { WebSocketServer } from 'ws';
import { startMediaServer } from '../../../testing/carriers/media-server.ts';
import { openCarrierStream, type StreamMessages } from '../../../testing/carriers/media-stream.ts';
import { testVoice } from '../../../testing/carriers/voice.ts';
import { fastClock } from '../../../testing/fast-clock.ts';
import { freePort } from '../../../testing/free-port.ts';
import { pause, waitFor } from '../../../testing/wait-for.ts';
import { mediaSessionConformance } from '../media/conformance.ts';
import { type MediaClock, realTimeClock } from '../media/media-clock.ts';
import { mediaRelay } from './media-relay.ts';
import { mediaSockets } from './media-sockets.ts';

const real_time = realTimeClock();
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
const dialect = {
  media: (payload: string) => ({ event: 'media', media: { payload } }),
  mark: (name: string) => ({ event: 'mark', mark: { name } }),
  clear: () => ({ event: 'clear' }),
};

/** One process. `locate` says where it finds the leader of a call that it does not lead itself. */
async function startProcess(clock: MediaClock, locate: () => Promise<string | null> = async () => null) {
  const voice = testVoice('', clock);
  const relay = mediaRelay({ locate, clock, log: voice.log });
  const hang_ups: string[] = [];
  const sockets = mediaSockets({
    ...voice,
    relay,
    carrier: 'test',
    opening: (_, query) => ({ token: query.get('token') ?? '', is_readable: true, dialect }),
    sendDigits: null,
    hangUp: (id) => void hang_ups.push(id),
  });
  const server = await startMediaServer(sockets.openMedia);
  after(server.close);
  return { ...server, sockets, relay, hang_ups, http_url: server.url.replace(/^ws/, 'http') };
}

/** A call of the leader, whose carrier connected to the other process. */
async function openLine(clock: MediaClock = real_time) {
  const leader = await startProcess(clock);
  let located = 0;
  const front = await startProcess(clock, async () => {
    located++;
    return leader.http_url;
  });
  const { token, named } = (await leader.sockets.expect('call', 30))!;
  named('theirs');
  const connect = (with_token = token) =>
    openCarrierStream({ url: `${front.url}?token=${with_token}`, clock, messages });
  const far = await connect();
  const session = (await leader.sockets.media('theirs'))!;
  return { leader, front, token, connect, far, session, located: () => located };
}

mediaSessionConformance('relayed carrier stream', async () => {
  const { session, far, leader, front } = await openLine();
  return {
    session,
    far,
    pass: (ms) => pause(ms, 'audio takes its time'),
    done: async () => void (await Promise.all([leader.close(), front.close()])),
  };
});

test('a used or wrong token is refused by the leader, and the relay passes its code on', async () => {
  const { connect, session } = await openLine();
  for (const wrong of [undefined, 'guess'])
    assert.deepEqual(await (await connect(wrong)).closed, { code: 1008, reason: 'wrong or used token' });
  session.close();
});

test('a socket that was relayed once is not relayed again', async () => {
  const urls: string[] = [];
  let located = 0;
  const other = (own: number) => async () => {
    located++;
    return urls[1 - own]!;
  };
  const processes = [await startProcess(real_time, other(0)), await startProcess(real_time, other(1))];
  urls.push(...processes.map(({ http_url }) => http_url));
  const lost = await openCarrierStream({ url: `${processes[0]!.url}?token=x`, clock: real_time, messages });
  assert.deepEqual(await lost.closed, { code: 1008, reason: 'wrong or used token' });
  assert.equal(located, 1);
});

test('a leader that is dead when the socket comes ends the stream with an error', async () => {
  const nothing = `http://127.0.0.1:${await freePort()}`;
  const { url } = await startProcess(real_time, async () => nothing);
  const lost = await openCarrierStream({ url: `${url}?token=x`, clock: real_time, messages });
  assert.equal((await lost.closed).code, 1011);
});

test('a leader that accepts the connection and says nothing ends the stream, too', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  after(() => silent.close());
  const at = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
  const { url } = await startProcess(real_time, async () => at);
  const lost = await openCarrierStream({ url: `${url}?token=x`, clock: real_time, messages });
  assert.equal((await lost.closed).code, 1011);
});

test('a lookup that fails ends the stream with an error', async () => {
  const { url } = await startProcess(real_time, () => Promise.reject(new Error('no database')));
  const lost = await openCarrierStream({ url: `${url}?token=x`, clock: real_time, messages });
  assert.equal((await lost.closed).code, 1011);
});

test('when the leader dies during the call, the carrier’s socket is closed', async () => {
  const { far, leader } = await openLine();
  await leader.close();
  assert.equal((await far.closed).code, 1011);
});

test('when the relay dies, the leader sees a failure of the line', async () => {
  const { session, front } = await openLine();
  await front.close();
  assert.deepEqual(await session.closed, {
    by: 'failure',
    detail: 'the media socket was closed (1006)',
  });
});

test('a link on which nothing arrives any more is closed by the leader after 30 s of silence', async () => {
  const { session, front, leader } = await openLine(fastClock(20));
  // A carrier whose machine has lost its power: the connection stays open, and nothing comes.
  const silent = new WebSocket(`${front.url}?token=${(await expectAnother(leader)).token}`);
  await once(silent, 'open');
  silent.send(JSON.stringify(messages.start));
  const [code] = (await once(silent, 'close')) as [number];
  assert.equal(code, 1001);
  assert.deepEqual(leader.hang_ups, ['silent']);
  session.close();
});

async function expectAnother({ sockets }: Awaited<ReturnType<typeof startProcess>>) {
  const expected = (await sockets.expect('silent-call', 30))!;
  expected.named('silent');
  return expected;
}

test('a stop waits until the relayed sockets are closed, or is cut', async () => {
  const { session, front } = await openLine();
  const cut = new AbortController();
  assert.equal(front.relay.count(), 1);
  let is_idle = false;
  const idle = front.relay.idle(cut.signal).then(() => {
    is_idle = true;
  });
  await new Promise(setImmediate);
  assert.equal(is_idle, false);
  session.close();
  await idle;
  assert.equal(front.relay.count(), 0);

  const cut_off = await openLine();
  const never = cut_off.front.relay.idle(cut.signal);
  cut.abort();
  await never;
  cut_off.session.close();
});

/** A leader that reads only when the test says so. */
async function startSlowLeader() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 1 << 20 });
  await once(server, 'listening');
  after(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const received: string[] = [];
  const connected = new Promise<WebSocket>((resolve) =>
    server.on('connection', (socket) => {
      socket.on('message', (bytes) => void received.push(String(bytes)));
      socket.pause();
      resolve(socket);
    }),
  );
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return { url, received, connected };
}

const kilobytes = 'x'.repeat(32 * 1024);
/** More than the network between two processes of one machine takes on its way. */
const flood = 1500;

test('a slow leader makes the carrier wait, and gets every message in order when it reads again', async () => {
  const leader = await startSlowLeader();
  const front = await startProcess(real_time, async () => leader.url);
  const carrier = new WebSocket(`${front.url}?token=x`);
  await once(carrier, 'open');
  carrier.send(JSON.stringify(messages.start));
  const slow = await leader.connected;
  for (let i = 0; i < flood; i++) carrier.send(`${i} ${kilobytes}`);
  // The relay does not read on: the messages stay with the carrier instead of in our memory.
  await waitFor('the carrier waits', async () => {
    const before = carrier.bufferedAmount;
    await pause(100, 'the network takes what it can');
    return carrier.bufferedAmount === before && before > 0;
  });
  assert.ok(carrier.bufferedAmount > (flood * kilobytes.length) / 4, String(carrier.bufferedAmount));
  slow.resume();
  await waitFor('every message arrives', () => leader.received.length === flood + 1, { timeout_ms: 60_000 });
  assert.deepEqual(
    leader.received.slice(1).map((text) => Number(text.split(' ')[0])),
    Array.from({ length: flood }, (_, i) => i),
  );
  carrier.close();
});

test('a leader that takes nothing for ten seconds loses the call', async () => {
  const leader = await startSlowLeader();
  const front = await startProcess(fastClock(20), async () => leader.url);
  const carrier = new WebSocket(`${front.url}?token=x`);
  await once(carrier, 'open');
  carrier.send(JSON.stringify(messages.start));
  await leader.connected;
  for (let i = 0; i < flood; i++) carrier.send(kilobytes);
  carrier.on('error', () => {});
  const [code] = (await once(carrier, 'close')) as [number];
  assert.ok([1011, 1006].includes(code), String(code));
  await waitFor('the relay forgets it', () => front.relay.count() === 0);
});
