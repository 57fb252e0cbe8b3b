// Deepgram, simulated by a local WebSocket server that sends the same messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { loopbackAgent } from '../../../../testing/loopback-agent.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sttConformance } from '../conformance.ts';
import type { SttFailed } from '../stt.ts';
import { deepgramDefaults, deepgramStt } from './index.ts';

const loud = new Int16Array(8000).fill(9000);
const quiet = new Int16Array(8000).fill(900);

const handshakes: { url: string; authorization: string }[] = [];
const sockets = new Set<WebSocket>();
const { url, server } = await standIn((_request, response) => void response.writeHead(404).end());
new WebSocketServer({ server }).on('connection', (socket, request) => {
  handshakes.push({ url: request.url!, authorization: request.headers.authorization! });
  sockets.add(socket);
  let seconds = 0;
  let unfinished = { start: 0, text: '' };
  const sendResults = (more: object) => {
    const { start, text } = unfinished;
    const channel = { alternatives: [{ transcript: text, confidence: 0.9 }] };
    socket.send(JSON.stringify({ type: 'Results', start, duration: seconds - start, channel, ...more }));
  };
  socket.on('message', (data: Buffer, is_binary) => {
    if (is_binary) {
      seconds += data.length / 2 / 8000;
      unfinished.text = data.readInt16LE(0) === 9000 ? 'An appointment' : 'Thomas';
      return sendResults({ is_final: false });
    }
    const { type } = JSON.parse(data.toString());
    if (type === 'CloseStream') return socket.close();
    if (type !== 'Finalize' || unfinished.text === '') return;
    sendResults({ is_final: true, from_finalize: true });
    unfinished = { start: seconds, text: '' };
  });
});

const agent = loopbackAgent();
const engine = () =>
  deepgramStt({
    agent,
    settings: { ...deepgramDefaults, base_url: url.replace('http', 'ws'), api_key: 'key' },
  });

sttConformance('deepgram', async () => ({
  stt: engine(),
  turns: { first: { pcm: loud, text: /appointment/ }, second: { pcm: quiet, text: /Thomas/ } },
}));

test('the handshake sends the key, the model, the language and the audio format', async () => {
  const session = engine().open({ language: 'de' });
  session.push(loud);
  await session.text();
  session.close();
  const { url: path, authorization } = handshakes.at(-1)!;
  assert.equal(authorization, 'Token key');
  const query = new URL(path, url).searchParams;
  assert.deepEqual(
    ['model', 'language', 'encoding', 'sample_rate'].map((name) => query.get(name)),
    ['nova-3', 'de', 'linear16', '8000'],
  );
});

test('what is recognized while the person speaks is there without waiting for the end', async () => {
  const session = engine().open({ language: 'en' });
  session.push(loud);
  await waitFor('an interim text', () => session.interim!() !== '');
  assert.equal(session.interim!(), 'An appointment');
  session.close();
});

test('keywords are passed as terms, as many as the vendor accepts', async () => {
  const keywords = ['Weber', ...Array.from({ length: 40 }, () => 'x'.repeat(60))];
  const settings = { ...deepgramDefaults, base_url: url.replace('http', 'ws'), api_key: 'key', keywords };
  const session = deepgramStt({ agent, settings }).open({ language: 'de' });
  session.push(loud);
  await session.text();
  session.close();
  const terms = new URL(handshakes.at(-1)!.url, url).searchParams.getAll('keyterm');
  assert.equal(terms[0], 'Weber');
  assert.equal(terms.length, 25);
});

test('a broken connection fails its turn, and the next turn has a new connection', async () => {
  const session = engine().open({ language: 'en' });
  session.push(loud);
  assert.match(await session.text(), /appointment/);
  for (const socket of sockets) socket.terminate();
  session.push(loud);
  await assert.rejects(session.text(), (error: SttFailed) => error.retryable);
  session.nextTurn();
  session.push(quiet);
  assert.match(await session.text(), /Thomas/);
  session.close();
});

test('a refused connection is a retryable failure', async () => {
  const settings = { ...deepgramDefaults, base_url: 'ws://127.0.0.1:9', api_key: 'key' };
  const session = deepgramStt({ agent, settings }).open({ language: 'en' });
  session.push(loud);
  await assert.rejects(session.text(), (error: SttFailed) => error.retryable);
  session.close();
});
